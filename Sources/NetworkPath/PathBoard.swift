#if os(Linux)
internal import PathCore

/// Who hears of what: the present verdict for every filter in use, and for every listener what it
/// was told last. Pure: time is handed in, telling is a closure that must not wait.
struct PathBoard {
  /// What a listener is told.
  struct Told {
    var path: NWPath
    var previous: NWPath?
    var causes: ChangeCauses
  }

  struct Listener {
    var query: PathQuery
    /// How long a change must hold before it is told.
    var settle: Duration
    /// What counts as a change.
    var scope: NWPath.Scope
    var tell: @Sendable (Told) -> Void
    /// Called once when `deadline` is reached.
    var deadline: Duration?
    var expire: @Sendable () -> Void = {}
    fileprivate var standing = Standing()

    init(
      query: PathQuery, settle: Duration = .zero, scope: NWPath.Scope = .shown,
      deadline: Duration? = nil, expire: @escaping @Sendable () -> Void = {},
      tell: @escaping @Sendable (Told) -> Void
    ) {
      self.query = query
      self.settle = settle
      self.scope = scope
      self.deadline = deadline
      self.expire = expire
      self.tell = tell
    }
  }

  /// What one listener was told, and what waits to be told.
  fileprivate struct Standing {
    var told: NWPath?
    var sequence = 0
    var candidate: (path: NWPath, deadline: Duration)?
    /// Since when what is so differs from what was told, again and again.
    var restlessSince: Duration?
    /// Since when what is so is what was told.
    var restingSince: Duration?

    /// It is as it was told.
    mutating func rest(at now: Duration) {
      candidate = nil
      restingSince = restingSince ?? now
    }

    /// It is not. Returns when that began: a rest as long as a change must hold ends the unrest
    /// before it.
    mutating func unrest(at now: Duration, settle: Duration) -> Duration {
      if let restingSince, now - restingSince >= settle { restlessSince = nil }
      restingSince = nil
      let start = restlessSince ?? now
      restlessSince = start
      return start
    }
  }

  private var listeners: [Int: Listener] = [:]
  private var nextID = 1
  /// The present path for each question that somebody asks.
  private var paths: [PathQuery: NWPath] = [:]
  private(set) var snapshot: Boxed<Snapshot>?
  /// In place of what the snapshot says, for every filter.
  private var scripted: NWPath?
  private var captureTime = ContinuousClock.now

  /// Unrest that never settles is told at the latest after this long, or four times the settle.
  private static let unrestLeast = Duration.seconds(30)

  var isEmpty: Bool { listeners.isEmpty }

  /// Nobody watches any more: what was read is not the present any longer.
  mutating func forget() {
    paths = [:]
    snapshot = nil
    scripted = nil
  }

  // MARK: Listeners

  /// A new listener; it is told the present path at once if that is known.
  mutating func add(_ listener: Listener, at now: Duration) -> Int {
    let id = addSilently(listener)
    if let path = path(for: listener.query) { observe(id, path, now) }
    return id
  }

  /// A new listener, who is told with the next `welcome` or news.
  mutating func addSilently(_ listener: Listener) -> Int {
    let id = nextID
    nextID += 1
    listeners[id] = listener
    return id
  }

  /// Tells the present path to those who were told nothing yet.
  mutating func welcome(at now: Duration) {
    for id in listeners.keys.sorted() where listeners[id]?.standing.told == nil {
      guard let query = listeners[id]?.query, let path = path(for: query) else { continue }
      observe(id, path, now)
    }
  }

  mutating func remove(_ id: Int) {
    guard let gone = listeners.removeValue(forKey: id) else { return }
    if !listeners.values.contains(where: { $0.query == gone.query }) { paths[gone.query] = nil }
  }

  /// The present path; nil while nothing was read.
  mutating func path(for query: PathQuery) -> NWPath? {
    if let scripted { return scripted }
    if let known = paths[query] { return known }
    guard let snapshot else { return nil }
    let path = judge(snapshot, query)
    if listeners.values.contains(where: { $0.query == query }) { paths[query] = path }
    return path
  }

  /// The first interface of the last reading that is the wanted one.
  func interface(where isWanted: @Sendable (PathCore.Interface) -> Bool) -> NWInterface? {
    snapshot?.read { snapshot in
      snapshot.interfaces.first(where: isWanted).map {
        NWInterface(
          type: NWInterface.InterfaceType($0.type), name: $0.name, index: Int($0.index))
      }
    }
  }

  private func judge(_ snapshot: Boxed<Snapshot>, _ query: PathQuery) -> NWPath {
    NWPath(
      NWPath.Storage(
        query.path(of: snapshot.wrappedValue),
        evidence: query.filter.map { NWPath.Evidence(snapshot: snapshot, filter: $0) }, sequence: 0,
        captureTime: captureTime))
  }

  // MARK: News

  /// The network is so now.
  mutating func take(
    _ snapshot: Snapshot, at now: Duration, captured: ContinuousClock.Instant
  ) {
    let isNew = self.snapshot?.read { $0 != snapshot } ?? true
    guard isNew || scripted != nil else { return }
    scripted = nil
    captureTime = captured
    let boxed = Boxed(wrappedValue: snapshot)
    self.snapshot = boxed
    for query in paths.keys {
      let path = judge(boxed, query)
      // Equal paths stay the one that they were, but for what was learnt of the network.
      if let old = paths[query], old.equals(path, in: .known), old.network == path.network,
        old.why == path.why
      {
        continue
      }
      paths[query] = path
    }
    tellAll(now)
  }

  /// Every listener's path is this one, whatever its filter.
  mutating func take(scripted path: NWPath, at now: Duration) {
    scripted = path
    tellAll(now)
  }

  private mutating func tellAll(_ now: Duration) {
    for id in listeners.keys.sorted() {
      guard let query = listeners[id]?.query, let path = path(for: query) else { continue }
      observe(id, path, now)
    }
  }

  // MARK: Settling

  private mutating func observe(_ id: Int, _ path: NWPath, _ now: Duration) {
    guard let listener = listeners[id] else { return }
    guard let told = listener.standing.told else { return tell(id, path) }
    let isChange = !told.equals(path, in: listener.scope)
    guard listener.settle > .zero else {
      if isChange { tell(id, path) }
      return
    }
    guard isChange else {
      listeners[id]?.standing.rest(at: now)
      return
    }
    let restless = listeners[id]?.standing.unrest(at: now, settle: listener.settle) ?? now
    let limit = restless + max(Self.unrestLeast, listener.settle * 4)
    var deadline = now + listener.settle
    if let candidate = listener.standing.candidate, candidate.path.status == path.status {
      deadline = candidate.deadline
    }
    listeners[id]?.standing.candidate = (path, min(deadline, limit))
    settle(id, now)
  }

  private mutating func settle(_ id: Int, _ now: Duration) {
    guard let candidate = listeners[id]?.standing.candidate, candidate.deadline <= now else {
      return
    }
    tell(id, candidate.path)
  }

  private mutating func tell(_ id: Int, _ path: NWPath) {
    guard let listener = listeners[id] else { return }
    let sequence = listener.standing.sequence + 1
    let numbered = NWPath(
      NWPath.Storage(
        path.core, evidence: path.storage.evidence, sequence: sequence,
        captureTime: path.captureTime))
    let previous = listener.standing.told
    listeners[id]?.standing = Standing(told: numbered, sequence: sequence)
    let causes = previous.map { ChangeCauses(from: $0.core, to: path.core) } ?? []
    listener.tell(Told(path: numbered, previous: previous, causes: causes))
  }

  // MARK: Time

  /// When `wake` has something to do; nil when only news can change anything.
  var nextDeadline: Duration? {
    listeners.values.compactMap { listener in
      let times = [listener.standing.candidate?.deadline, listener.deadline]
      return times.compactMap(\.self).min()
    }.min()
  }

  /// Tells what has settled by now, and ends what waits no longer.
  mutating func wake(at now: Duration) {
    for id in listeners.keys.sorted() {
      settle(id, now)
      if let deadline = listeners[id]?.deadline, deadline <= now {
        listeners[id]?.deadline = nil
        listeners[id]?.expire()
      }
    }
  }
}
#endif
