internal import CLinux

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// Descriptors that are waited for as one: whoever has the reader watches a single descriptor, the
/// same for as long as the reader lives, while sockets behind it come and go. epoll(7).
struct WakeSet: ~Copyable {
  /// What may have something to say.
  enum Source: UInt32 {
    case events, routes, radios, resolver, mounts, alarm
  }

  struct Sources {
    fileprivate var bits: UInt32

    func contains(_ source: Source) -> Bool { bits & 1 << source.rawValue != 0 }

    /// The descriptor is no set: someone closed it, and something else may have its number by now.
    var areLost: Bool { bits & 1 << 31 != 0 }
  }

  let descriptor: Int32

  init() throws(KernelError) {
    descriptor = clinux_set_open()
    guard descriptor >= 0 else { throw KernelError("epoll_create1", code: -descriptor) }
  }

  /// Whoever has the number now may need it.
  deinit { if !ready().areLost { close(descriptor) } }

  /// Waits for this one too; what is urgent is told by EPOLLPRI. False where that cannot be.
  @discardableResult
  func add(_ descriptor: Int32, _ source: Source, urgent: Bool = false) -> Bool {
    descriptor >= 0
      && clinux_set_add(self.descriptor, descriptor, source.rawValue, urgent ? 1 : 0) == 0
  }

  func remove(_ descriptor: Int32) { _ = clinux_set_remove(self.descriptor, descriptor) }

  /// Those that have something now.
  func ready() -> Sources { Sources(bits: clinux_set_ready(descriptor)) }
}
