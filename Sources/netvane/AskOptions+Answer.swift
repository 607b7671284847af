import PathCore
import PathDaemon
import PathPolicy

/// Asking the kernel once, as the commands that answer and leave do.
extension AskOptions {
  var filter: PathFilter {
    PathFilter(
      required: required.flatMap { InterfaceType(word: $0.rawValue) },
      prohibited: prohibited.reduce(into: InterfaceTypeSet()) { set, word in
        if let type = InterfaceType(word: word.rawValue) { set.insert(InterfaceTypeSet(type)) }
      }, interface: interface)
  }

  /// The kernel's present state under the configuration; what is wrong with that goes to `console`.
  func snapshot(_ console: Console) -> Snapshot? {
    do throws(ConfigurationError) {
      return KernelGlance.snapshot(try Places.configuration(config))
    } catch {
      console.complain("netvane: \(visible(error.located))")
      return nil
    }
  }
}
