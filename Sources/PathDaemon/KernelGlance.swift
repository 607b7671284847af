package import PathCore
import PathKernel
package import PathPolicy

/// One look at the kernel, for commands that ask and leave.
package enum KernelGlance {
  package static func snapshot(_ configuration: Configuration) -> Snapshot {
    let settings = KernelSettings(configuration)
    do throws(KernelError) {
      return try KernelReader(settings: settings).snapshot()
    } catch {
      return KernelReader.unavailable(error.description, settings: settings)
    }
  }
}
