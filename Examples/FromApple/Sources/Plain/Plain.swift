#if canImport(Network)
import Network
#endif

/// A package that asks whether this is one of Apple's systems, in the usual way.
public enum Plain {
  public static var system: String {
    #if canImport(Network)
    "Apple's"
    #else
    "another"
    #endif
  }
}
