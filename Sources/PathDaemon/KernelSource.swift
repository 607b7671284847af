import PathCore
import PathKernel

/// The kernel's reader, or the reason why there is none: then every snapshot says so, and the
/// verdict is "unknown", not "down".
struct KernelSource {
  let reader: KernelReader?
  private let reason: String

  init(_ settings: KernelSettings) {
    do throws(KernelError) {
      reader = try KernelReader(settings: settings)
      reason = ""
    } catch {
      reader = nil
      reason = error.description
    }
  }

  func snapshot() -> Snapshot { reader?.snapshot() ?? KernelReader.unavailable(reason) }
}
