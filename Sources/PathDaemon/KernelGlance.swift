package import PathCore
import PathKernel
package import PathPolicy

/// One look at the kernel, for commands that ask and leave.
package enum KernelGlance {
  package static func snapshot(_ configuration: Configuration) -> Snapshot {
    KernelSource(KernelSettings(configuration)).snapshot()
  }
}
