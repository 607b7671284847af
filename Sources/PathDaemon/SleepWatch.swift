import CSystemd

/// Hears from logind when the machine goes to sleep and when it is back
/// (org.freedesktop.login1.Manager.PrepareForSleep). Where there is no system bus there is none;
/// the clocks then tell of a sleep once it is over.
@safe final class SleepWatch {
  private var bus: OpaquePointer?
  private let body: (Bool) -> Void

  /// `body` is called with true before a sleep and with false after it.
  init?(loop: EventLoop, _ body: @escaping (Bool) -> Void) {
    self.body = body
    unsafe bus = nil
    guard unsafe sd_bus_open_system(&bus) >= 0 else { return nil }
    let matched = unsafe sd_bus_match_signal_async(
      bus, nil, "org.freedesktop.login1", "/org/freedesktop/login1",
      "org.freedesktop.login1.Manager", "PrepareForSleep",
      { message, data, _ in
        var starts: Int32 = 0
        if unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: "b")), &starts) > 0 {
          unsafe Unmanaged<SleepWatch>.fromOpaque(data!).takeUnretainedValue().body(starts != 0)
        }
        return 0
      },
      { _, _, _ in 0 }, unsafe Unmanaged.passUnretained(self).toOpaque())
    guard matched >= 0, unsafe loop.attach(bus: bus) else { return nil }
  }

  deinit {
    // Detached first: what is still queued must not call back.
    unsafe sd_bus_detach_event(bus)
    unsafe sd_bus_flush_close_unref(bus)
  }
}

extension EventLoop {
  /// sd_bus_attach_event(3).
  fileprivate func attach(bus: OpaquePointer?) -> Bool {
    unsafe sd_bus_attach_event(bus, event, 0) >= 0
  }
}
