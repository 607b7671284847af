import Glibc
import PathKernel

/// Follows the kernel as the daemon does, and stamps each look: nothing is judged.
enum LookingReader {
  static func run() -> Int32 {
    guard let reader = try? KernelReader() else { return 1 }
    _ = reader.snapshot()
    stamp("ready")
    var entry = pollfd(fd: reader.eventDescriptor, events: Int16(POLLIN), revents: 0)
    while true {
      guard unsafe poll(&entry, 1, -1) > 0 else { continue }
      guard reader.drain() != .nothing else { continue }
      _ = reader.snapshot()
      stamp("look")
    }
  }
}
