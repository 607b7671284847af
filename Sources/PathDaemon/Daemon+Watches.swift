import CLinux
import CSystemd
import Glibc
import PathActions
import PathCore
import PathKernel
import PathPolicy

/// What wakes the daemon: the kernel, resolv.conf, the clocks, signals, and a person's keyboard.
extension Daemon {
  /// The signals that end the daemon are taken by the loop, so every thread must block them.
  static func blockSignals() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, signal) }
    if isFirstProcess { unsafe sigaddset(&set, SIGCHLD) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// A container's first process inherits children that it never started.
  private static var isFirstProcess: Bool { getpid() == 1 }

  func watchEverything() throws(LoopError) {
    if Self.isFirstProcess {
      try loop.watch(signal: SIGCHLD) { [unowned self] _ in actions.reapAll() }
    }
    try loop.watch(descriptor: kernel.eventDescriptor) { [unowned self] in hear() }
    for signal in [SIGTERM, SIGINT] {
      try loop.watch(signal: signal) { [unowned self] _ in end() }
    }
    try loop.watch(signal: SIGHUP) { [unowned self] _ in hangUp() }
    for clock in [LoopTimer.Clock.awake, .boot] {
      wakeTimers.append(
        try loop.makeTimer(clock) { [unowned self] in
          noticeSleep()
          fireDue()
        })
    }
    readTimer = try loop.makeTimer(.awake) { [unowned self] in readAgain() }
    reconcileTimer = try loop.makeTimer(.boot) { [unowned self] in reconcile() }
    sleepGuard = try loop.makeTimer(.awake) { [unowned self] in
      if isGoingToSleep { wake() }
    }
    sleepWatch = SleepWatch(loop: loop) { [unowned self] in hearLogind(isGoing: $0) }
    if hadTerminal { try watchKeyboard() }
  }

  private func hear() {
    noticeSleep()
    switch kernel.drain() {
    case .nothing: break
    case .changed(let hints) where hints.isPaced: read()
    case .changed: readSoon()
    case .lost(let detail): resync(detail)
    }
  }

  /// Proves every few minutes that nothing was missed.
  private func reconcile() {
    noticeSleep()
    if kernel.reconcile() {
      resync("the kernel's state had drifted from what its events told")
    } else {
      read()
    }
    armReconcile()
  }

  func armReconcile() {
    let pause = ReconcilePause(seconds: settings.configuration.limits.reconcileSeconds)
    reconcileTimer?.arm(at: Clocks.read(CLOCK_BOOTTIME) + pause.length, slack: pause.slack)
  }

  func end() {
    _ = unsafe sd_notify(0, "STOPPING=1")
    settings.place = nil
    policyWatch = nil
    loader.end()
    control?.close()
    feed(.stop)
    keeper?.close()
    recorder?.close()
    actions.stopAll { [unowned self] in loop.stop(0) }
  }

  // MARK: Keyboard

  /// Longer lines are no answer to anything that is asked here.
  private static let lineMax = 4096

  /// Only arrivals wake: what a shell leaves unread while another program has the terminal must
  /// not keep the loop spinning.
  private func watchKeyboard() throws(LoopError) {
    var watch: EventLoop.Watch?
    watch = try loop.watch(descriptor: STDIN_FILENO, onArrival: true) { [unowned self] in
      while isTyped() {
        guard readKeyboard() else {
          watch?.remove()
          return
        }
      }
    }
  }

  /// Whether there is something to read, and for this program: one in the background that reads
  /// from its terminal is stopped (SIGTTIN, termios(3)).
  private func isTyped() -> Bool {
    let foreground = tcgetpgrp(STDIN_FILENO)
    if foreground >= 0, foreground != getpgrp() { return false }
    var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) > 0
  }

  /// Takes what was typed; false at its end.
  private func readKeyboard() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(STDIN_FILENO, $0.baseAddress, $0.count)
    }
    guard count > 0 else { return count < 0 && (errno == EINTR || errno == EAGAIN) }
    inputBuffer += bytes.prefix(count)
    while let end = inputBuffer.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: inputBuffer[..<end], as: UTF8.self)
      inputBuffer.removeSubrange(...end)
      for fact in delegate.input(line) { feed(fact) }
    }
    if inputBuffer.count > Self.lineMax { inputBuffer = [] }
    return true
  }
}
