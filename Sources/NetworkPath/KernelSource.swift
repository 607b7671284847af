#if os(Linux)
internal import CLinux
internal import PathCore
internal import PathKernel
internal import Synchronization
#if canImport(Glibc)
internal import Glibc
#else
internal import Musl
#endif

/// The kernel's news for every monitor of the process: one thread and one event socket, however
/// many listen, and neither while nobody does.
final class KernelSource: PathSource {
  static let shared = KernelSource()

  private struct State {
    var board = PathBoard()
    var isRunning = false
    /// Somebody came who has to be told, or went.
    var isCalled = false
  }

  private let state = Mutex(State())
  private let polled = Mutex(PolledKernel())
  let call = ThreadCall()

  private init() {}

  var now: Duration { Clock.awake.now }

  func add(_ listener: PathBoard.Listener) -> Int {
    let (id, mustStart) = state.withLock { state in
      let mustStart = !state.isRunning
      state.isRunning = true
      state.isCalled = true
      // Told by the thread, once it has seen what the kernel said meanwhile.
      return (state.board.addSilently(listener), mustStart)
    }
    if mustStart { start() } else { call.make() }
    return id
  }

  func remove(_ id: Int) {
    state.withLock { state in
      state.board.remove(id)
      state.isCalled = true
    }
    call.make()
  }

  func path(for query: PathQuery) -> NWPath {
    state.withLock { $0.isRunning ? $0.board.path(for: query) : nil }
      ?? polled.withLock { $0.path(for: query) }
  }

  /// The first interface that is the wanted one; nil where the kernel's reader knows none.
  func interface(where isWanted: @Sendable (PathCore.Interface) -> Bool) -> NWInterface? {
    state.withLock { $0.isRunning ? $0.board.interface(where: isWanted) : nil }
      ?? polled.withLock { $0.interface(where: isWanted) }
  }

  private static func glance() -> Snapshot {
    do throws(KernelError) {
      return try KernelReader().snapshot()
    } catch {
      return KernelReader.unavailable(error.description)
    }
  }

  // MARK: The thread

  private func start() {
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    // The thread takes none of the program's signals.
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let result = unsafe pthread_create(
      &thread, &attributes,
      { _ in
        KernelSource.shared.run()
        return nil
      }, nil)
    if result != 0 {
      // Without a thread there is no news; what is so now can still be told.
      let snapshot = Self.glance()
      let now = now
      state.withLock { state in
        state.board.take(snapshot, at: now, captured: .now)
        state.board.welcome(at: now)
        state.isRunning = false
      }
    }
  }

  /// Until nobody listens.
  private func run() {
    unsafe clinux_name_thread("netvane-path")
    var watch = KernelWatch()
    var mustRead = true
    while true {
      let (isDone, deadline) = state.withLock { state in
        if state.board.isEmpty {
          state.board.forget()
          state.isRunning = false
        }
        return (state.board.isEmpty, state.board.nextDeadline)
      }
      if isDone { return }
      if mustRead {
        let snapshot = watch.read()
        let now = now
        state.withLock { state in
          state.board.take(snapshot, at: now, captured: .now)
          state.board.welcome(at: now)
        }
        polled.withLock { $0.close() }
        mustRead = false
        continue
      }
      mustRead = watch.wait(call: call, until: deadline)
      let now = now
      let isCalled = state.withLock { state in
        state.board.wake(at: now)
        defer { state.isCalled = false }
        return state.isCalled
      }
      if isCalled, !mustRead {
        // What was heard and put off counts too: a first value is not one that is known to be old.
        let hasNews = watch.hasNews()
        mustRead = hasNews || watch.isBehind
        if !mustRead { state.withLock { $0.board.welcome(at: now) } }
      }
    }
  }
}
#endif
