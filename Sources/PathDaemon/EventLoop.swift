import CLinux
import CSystemd
import Glibc

/// Why the loop could not be set up: the call that failed and what the system said.
package struct LoopError: Error, Hashable, Sendable {
  package var call: String
  package var code: Int32

  package var message: String { "\(call): \(unsafe String(cString: strerror(code)))" }
}

/// One thread's loop over descriptors, timers and signals: sd-event, which needs no systemd.
///
/// Everything it watches lives as long as the loop does, unless it is removed.
@safe package final class EventLoop {
  let event: OpaquePointer
  /// Keeps what the C callbacks point to.
  private var watches: [ObjectIdentifier: Watch] = [:]

  /// Something the loop calls back.
  @safe package final class Watch {
    fileprivate var source: OpaquePointer?
    fileprivate let body: (Int32) -> Void
    private weak var loop: EventLoop?

    fileprivate init(_ loop: EventLoop, _ body: @escaping (Int32) -> Void) {
      self.loop = loop
      self.body = body
    }

    /// Ends the watch; safe inside its own callback.
    package func remove() {
      if let source = unsafe source {
        unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
        unsafe sd_event_source_unref(source)
        unsafe self.source = nil
      }
      loop?.watches[ObjectIdentifier(self)] = nil
    }

    deinit { remove() }
  }

  package init() throws(LoopError) {
    var event: OpaquePointer?
    try check("sd_event_new", unsafe sd_event_new(&event))
    guard let event = unsafe event else { throw LoopError(call: "sd_event_new", code: ENOMEM) }
    unsafe self.event = event
    // Only where a service manager asks for it.
    _ = unsafe sd_event_set_watchdog(event, 1)
  }

  deinit {
    for watch in Array(watches.values) { watch.remove() }
    unsafe sd_event_unref(event)
  }

  /// Calls `body` whenever the descriptor can be read, or only when more has come than there was
  /// (`onArrival`, EPOLLET). sd_event_add_io(3).
  @discardableResult
  package func watch(
    descriptor: Int32, onArrival: Bool = false, _ body: @escaping () -> Void
  ) throws(LoopError) -> Watch {
    let events = onArrival ? EPOLLIN.rawValue | EPOLLET.rawValue : EPOLLIN.rawValue
    return try watch(descriptor: descriptor, events: events) { _ in body() }
  }

  /// The same for any of epoll's events; `body` gets those that are there. epoll_ctl(2).
  func watch(
    descriptor: Int32, events: UInt32, _ body: @escaping (UInt32) -> Void
  ) throws(LoopError) -> Watch {
    let watch = Watch(self) { body(UInt32(bitPattern: $0)) }
    let result = unsafe sd_event_add_io(
      event, &watch.source, descriptor, events,
      { _, _, events, data in
        unsafe EventLoop.watch(data).body(Int32(bitPattern: events))
        return 0
      }, pointer(watch))
    try check("sd_event_add_io", result)
    keep(watch)
    return watch
  }

  private func keep(_ watch: Watch) { watches[ObjectIdentifier(watch)] = watch }

  /// Calls `body` with the signal's number. The signal must be blocked in every thread.
  package func watch(signal: Int32, _ body: @escaping (Int32) -> Void) throws(LoopError) {
    let watch = Watch(self, body)
    let result = unsafe sd_event_add_signal(
      event, &watch.source, signal,
      { _, info, data in
        unsafe EventLoop.watch(data).body(Int32(bitPattern: info?.pointee.ssi_signo ?? 0))
        return 0
      }, pointer(watch))
    try check("sd_event_add_signal", result)
    keep(watch)
  }

  /// A timer that is not armed yet. `slack` lets the system bundle wake-ups.
  package func makeTimer(
    _ clock: LoopTimer.Clock, slack: Duration = .microseconds(1), _ body: @escaping () -> Void
  ) throws(LoopError) -> LoopTimer {
    let watch = Watch(self) { _ in body() }
    // An accuracy of zero would mean 250 ms.
    let accuracy = UInt64(max(1, slack.components.seconds * 1_000_000 + slack.microsecondPart))
    let result = unsafe sd_event_add_time(
      event, &watch.source, clock.id, UInt64.max, accuracy,
      { _, _, data in
        unsafe EventLoop.watch(data).body(0)
        return 0
      }, pointer(watch))
    try check("sd_event_add_time", result)
    unsafe sd_event_source_set_enabled(watch.source, Int32(SD_EVENT_OFF))
    keep(watch)
    return LoopTimer(watch)
  }

  /// Runs until `stop`; the code it was stopped with.
  package func run() throws(LoopError) -> Int32 {
    let result = unsafe sd_event_loop(event)
    guard result >= 0 else { throw LoopError(call: "sd_event_loop", code: -result) }
    return result
  }

  /// Ends `run` once the callback that is running has returned.
  package func stop(_ code: Int32) { unsafe sd_event_exit(event, code) }

  private func pointer(_ watch: Watch) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(watch).toOpaque()
  }

  private static func watch(_ data: UnsafeMutableRawPointer?) -> Watch {
    // `watches` holds it, and the source is gone before the loop is.
    unsafe Unmanaged<Watch>.fromOpaque(data!).takeUnretainedValue()
  }
}

/// Throws for a negative errno, as libsystemd returns it.
private func check(_ call: String, _ result: Int32) throws(LoopError) {
  if result < 0 { throw LoopError(call: call, code: -result) }
}

/// One wake-up time of one clock.
@safe package final class LoopTimer {
  package enum Clock: Sendable {
    case awake, boot

    fileprivate var id: Int32 { self == .awake ? CLOCK_MONOTONIC : CLOCK_BOOTTIME }
  }

  let watch: EventLoop.Watch

  fileprivate init(_ watch: EventLoop.Watch) { self.watch = watch }

  /// The same, up to `slack` later, which lets the system bundle wake-ups.
  package func arm(at time: Duration, slack: Duration) {
    let accuracy = slack.components.seconds * 1_000_000 + slack.microsecondPart
    unsafe sd_event_source_set_time_accuracy(watch.source, UInt64(max(1, accuracy)))
    arm(at: time)
  }

  /// Wakes the loop once at this time of the clock; at once when it is past.
  package func arm(at time: Duration) {
    // Rounded up, so that the loop never wakes a moment too early.
    let micros = max(0, time.components.seconds) * 1_000_000 + time.microsecondPartRoundedUp
    unsafe sd_event_source_set_time(watch.source, UInt64(max(0, micros)))
    unsafe sd_event_source_set_enabled(watch.source, Int32(SD_EVENT_ONESHOT))
  }

  package func disarm() {
    unsafe sd_event_source_set_enabled(watch.source, Int32(SD_EVENT_OFF))
  }

  /// Ends it for good; the loop holds it no more.
  package func remove() { watch.remove() }
}

extension Duration {
  fileprivate var microsecondPart: Int64 { components.attoseconds / 1_000_000_000_000 }

  fileprivate var microsecondPartRoundedUp: Int64 {
    (components.attoseconds + 999_999_999_999) / 1_000_000_000_000
  }
}
