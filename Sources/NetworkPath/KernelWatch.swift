#if os(Linux)
internal import CLinux
internal import PathCore
internal import PathKernel
#if canImport(Glibc)
internal import Glibc
#else
internal import Musl
#endif

/// The kernel as one thread watches it: when to read anew, and what was read.
///
/// News is read at once; while more keeps coming, ever less often. Each reading that news led to is
/// followed by one more, since the kernel tells of some changes before it has made them.
struct KernelWatch {
  private let settings: KernelSettings
  private var reader: KernelReader?
  private var failure = ""
  private var lastRead = Duration.seconds(-3600)
  private var rest = Self.restLeast
  /// When the next reading is due that was put off.
  private var nextRead: Duration?
  private var hasUnread = false
  private var overruns = OverrunPace()
  /// By the boot clock, which runs on while the machine sleeps.
  private var reconcileAt: Duration
  private var lead: Duration

  private static let restLeast = Duration.microseconds(500)
  private static let restMost = Duration.milliseconds(5)
  /// Between tries while there is no descriptor left to begin with.
  private static let openingPause = Duration.seconds(1)
  private static let reconcilePause = Duration.seconds(300)
  /// A lead of the boot clock that grew by less is the clocks' own imprecision.
  private static let sleepLeast = Duration.seconds(1)

  init(_ settings: KernelSettings = KernelSettings()) {
    self.settings = settings
    let boot = Clock.boot.now
    lead = boot - Clock.awake.now
    reconcileAt = boot + Self.reconcilePause
    open()
  }

  private mutating func open() {
    do throws(KernelError) {
      reader = try KernelReader(settings: settings)
    } catch {
      failure = error.description
    }
  }

  mutating func read() -> Snapshot {
    if reader == nil { open() }
    let hadNews = hasUnread
    hasUnread = false
    let snapshot = reader?.snapshot() ?? KernelReader.unavailable(failure)
    lastRead = Clock.awake.now
    overruns.read(at: lastRead)
    nextRead = hadNews ? lastRead + rest : nil
    if hadNews { rest = min(rest + rest, Self.restMost) }
    return snapshot
  }

  /// Takes what is pending without waiting; whether it calls for a reading.
  mutating func hasNews() -> Bool {
    guard let reader else { return false }
    let news = reader.drain()
    if reader.isLost {
      self.reader = nil
      return true
    }
    switch news {
    case .nothing: return false
    // It comes ever less often by itself, and needs no second reading.
    case .changed(let hints) where hints.isPaced:
      lastRead = .seconds(-3600)
      return true
    case .changed: hasUnread = true
    case .lost:
      overruns.lose()
      hasUnread = true
    }
    guard let held = overruns.heldUntil(Clock.awake.now) else { return true }
    nextRead = held
    return false
  }

  /// Whether a reading now might show more than the last one did.
  var isBehind: Bool {
    if reader == nil { return true }
    return (hasUnread || nextRead != nil) && overruns.heldUntil(Clock.awake.now) == nil
  }

  /// Waits for news, a call, or a time that is due; whether to read now.
  mutating func wait(call: ThreadCall?, until deadline: Duration?) -> Bool {
    var entries = [pollfd(fd: call?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)]
    if let reader {
      entries.append(pollfd(fd: reader.eventDescriptor, events: Int16(POLLIN), revents: 0))
    }
    unsafe clinux_wait(&entries, UInt(entries.count), patience(until: deadline).nanoseconds)
    if entries[0].revents != 0 { call?.take() }
    // Closed by the program around us: a new one, since poll(2) would return at once for ever.
    if let entry = entries.dropFirst().first, entry.revents & Int16(POLLNVAL) != 0 {
      reader = nil
      return true
    }
    let slept = notesSleep()
    let now = Clock.awake.now
    if slept || Clock.boot.now >= reconcileAt {
      _ = reader?.reconcile()
      reconcileAt = Clock.boot.now + Self.reconcilePause
      return true
    }
    if hasNews() {
      if now >= lastRead + Self.restMost { rest = Self.restLeast }
      if now >= lastRead + rest { return true }
      nextRead = lastRead + rest
    }
    if reader == nil, now >= lastRead + Self.openingPause { return true }
    return nextRead.map { $0 <= now } ?? false
  }

  private func patience(until deadline: Duration?) -> Duration {
    let now = Clock.awake.now
    let boot = Clock.boot.now
    var left = reader == nil ? Self.openingPause : reconcileAt - boot
    if let nextRead { left = min(left, nextRead - now) }
    if let deadline { left = min(left, deadline - now) }
    return max(left, .zero)
  }

  private mutating func notesSleep() -> Bool {
    let now = Clock.boot.now - Clock.awake.now
    defer { lead = now }
    return now - lead > Self.sleepLeast
  }
}
#endif
