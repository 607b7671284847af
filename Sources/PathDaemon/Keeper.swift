import Glibc
import PathActions
import PathCore
import PathPolicy
import PathStore

/// Keeps what policies must not forget: gives the store what each turn changed, and looks after it
/// in idle moments. While nothing is to be written nothing here wakes anybody.
final class Keeper {
  /// How long after a write the log is brought over, if nothing is written for `quiet` then; after
  /// `logPatience` it is done all the same.
  static let idle = Duration.seconds(30)
  static let quiet = Duration.seconds(5)
  static let logPatience = Duration.seconds(300)

  private let idle: Duration
  private let store: PolicyStore
  let keeps: Bool
  /// What people should know of the opening.
  private(set) var openingNotices: [String] = []
  private var timer: LoopTimer?
  /// By the boot clock: the first and the last write that the file has not, and the wake-up.
  private var firstWrite: Duration?
  private var lastWrite: Duration = .zero
  private var armed: Duration?
  /// Hears of what happens at idle moments.
  private let tell: (String) -> Void

  /// Opens the store that the settings name.
  init(
    _ settings: DaemonSettings, loop: EventLoop, idle: Duration = Keeper.idle,
    tell: @escaping (String) -> Void
  ) throws(DaemonError) {
    self.idle = idle
    self.tell = tell
    let now = Clocks.now()
    let bootID = settings.bootID ?? BootID.read()
    let place =
      settings.isDryRun
      ? .nowhere
      : StorePlace.choose(flag: settings.state, environment: ActionSettings.ownEnvironment())
    switch place {
    case .nowhere: store = PolicyStore.keepingNothing(bootID: bootID, at: now)
    case .unknown:
      store = PolicyStore.keepingNothing(bootID: bootID, at: now)
      openingNotices = [
        "nothing says where to keep what policies must not forget, so it lasts as long as this "
          + "process; name a directory with --state, or say --state none"
      ]
    case .directory(let path):
      switch PolicyStore.open(directory: path, bootID: bootID, at: now) {
      case .opened(let opened): store = opened
      case .renewed(let opened, let message), .inMemory(let opened, let message):
        store = opened
        openingNotices = [message]
      case .refused(let message): throw .state(message)
      }
    }
    if case .directory = place { keeps = true } else { keeps = false }
    guard keeps else { return }
    do throws(LoopError) {
      timer = try loop.makeTimer(.boot, slack: .seconds(2)) { [unowned self] in tend() }
    } catch {
      throw .loop(error)
    }
    arm(now.boot)
  }

  /// What earlier runs left.
  func recall() -> StoredPolicies {
    let stored = store.recall(at: Clocks.now())
    openingNotices += stored.damaged.map {
      "what the policy '\($0)' kept cannot be read; the policy starts without it"
    }
    return stored
  }

  /// The last texts that were accepted, of earlier runs or of this one. What cannot be read is as
  /// if it were not there.
  var acceptedTexts: [String: AcceptedText] {
    var texts: [String: AcceptedText] = [:]
    for (name, text) in store.texts {
      texts[name] = AcceptedText(name: name, hash: text.hash, bytes: text.bytes)
    }
    return texts
  }

  /// Keeps these texts, and those of no other policies than `names`; what people should know.
  func accept(_ texts: [String: AcceptedText], of names: Set<String>) -> [String] {
    guard keeps else { return [] }
    var batch = StoreBatch()
    for (name, text) in texts {
      let stored = StoredText(hash: text.hash, bytes: text.bytes)
      if store.texts[name] != stored { batch.texts[name] = stored }
    }
    batch.forgottenTexts = Set(store.texts.keys).subtracting(names)
    if batch.texts.isEmpty, batch.forgottenTexts.isEmpty { return [] }
    return write(batch, at: Clocks.now())
  }

  /// What is kept of these, now.
  func memories(of names: [String]) -> [String: PolicyMemory] {
    if names.isEmpty { return [:] }
    return store.recall(at: Clocks.now()).memories.filter { names.contains($0.key) }
  }

  /// Writes what one fact changed; what people should know of that.
  func keep(_ orders: [Order], of engine: inout Engine, at now: Moment) -> [String] {
    guard keeps else { return [] }
    var batch = StoreBatch()
    for name in engine.takeChangedMemories() { batch.memories[name] = engine.memory(of: name) }
    for order in orders {
      if case .policy(let name, .removed, _) = order { batch.forgotten.insert(name) }
      if let policy = order.historyOwner {
        batch.history.append(
          HistoryEntry(at: now.wall, policy: policy, event: order.description))
      }
    }
    if batch.memories.isEmpty, batch.forgotten.isEmpty, batch.history.isEmpty { return [] }
    return write(batch, at: now)
  }

  private func write(_ batch: StoreBatch, at now: Moment) -> [String] {
    let notices = store.write(batch, at: now)
    firstWrite = firstWrite ?? now.boot
    lastWrite = now.boot
    arm(now.boot)
    return notices.map(\.message)
  }

  /// The last moment: the log is brought over and the directory is free for another.
  func close() {
    _ = store.checkpoint(at: Clocks.now())
    store.close()
    timer?.disarm()
  }

  // MARK: Idle moments

  /// Whether there is something to look after.
  var isWaiting: Bool { armed != nil }

  private func arm(_ now: Duration) {
    var wanted: Duration?
    if store.isDurable {
      if firstWrite != nil { wanted = armed.map { max($0, now) } ?? now + idle }
    } else {
      wanted = store.nextAttempt
    }
    guard wanted != armed else { return }
    armed = wanted
    if let wanted { timer?.arm(at: wanted) } else { timer?.disarm() }
  }

  private func tend() {
    armed = nil
    let now = Clocks.now()
    var notices: [StoreNotice] = []
    if store.isDurable, let first = firstWrite {
      let quiet = min(Self.quiet, idle)
      guard now.boot - lastWrite >= quiet || now.boot - first >= Self.logPatience else {
        armed = now.boot + quiet
        timer?.arm(at: now.boot + quiet)
        return
      }
      firstWrite = nil
      notices = store.checkpoint(at: now)
    }
    if !store.isDurable { notices += store.tryAgain(at: now) }
    for notice in notices { tell(notice.message) }
    arm(Clocks.read(CLOCK_BOOTTIME))
  }
}

extension Order {
  /// Whether it may be carried out only when what led to it is kept: a daemon that is killed has
  /// then told of nothing that its next run would not know.
  var waitsForStore: Bool {
    switch self {
    case .alert, .publish, .action, .perform, .cancel: true
    case .deliver, .setTimer, .clearTimer, .persist, .log, .policy, .fault, .gap: false
    }
  }

  /// The policy whose history it belongs to, if to any.
  fileprivate var historyOwner: String? {
    switch self {
    case .deliver(let policy, _): policy
    case .alert(let notice): notice.policy
    case .policy(let name, _, _): name
    case .fault(let fault): fault.policy
    case .action(let report): report.policy
    case .publish, .setTimer, .clearTimer, .persist, .log, .perform, .cancel, .gap: nil
    }
  }
}
