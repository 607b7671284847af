#if os(Linux)
internal import Dispatch
internal import PathCore
internal import Synchronization

/// What a monitor is, apart from the object that its owner holds: a source may refer to this
/// without keeping the monitor alive.
final class MonitorCore: Sendable {
  typealias PathHandler = @Sendable (NWPath) -> Void

  private struct State {
    var handler: PathHandler?
    var queue: DispatchQueue?
    /// Serial, whatever the owner's queue is.
    var delivery: DispatchQueue?
    var listener: Int?
    /// Counts starts: what an earlier one was told is not delivered in a later one.
    var generation = 0
    var told: NWPath?
    /// Whether some handler heard `told`.
    var wasHeard = false
    var overriding: NWPath?
    /// The monitor itself while it is started and has a handler: it goes on when its owner lets go.
    var keptAlive: NWPathMonitor?
    /// Ends each iteration.
    var iterations: [Int: @Sendable () -> Void] = [:]
    var nextIteration = 1

    /// As what it is now says. Returns the one that is kept no longer.
    mutating func keepAlive(_ monitor: NWPathMonitor?) -> NWPathMonitor? {
      defer { keptAlive = queue != nil && handler != nil ? monitor : nil }
      return keptAlive
    }
  }

  /// What the state held before. It is let go outside the lock: what ends with it may call the
  /// monitor, or be the monitor.
  private struct Former {
    var handler: PathHandler?
    var monitor: NWPathMonitor?
  }

  let query: PathQuery
  let settle: Duration
  let source: any PathSource
  private let script: ScriptedNetwork?
  private let state = Mutex(State())

  init(
    query: PathQuery, settle: Duration, source: any PathSource, script: ScriptedNetwork?
  ) {
    self.query = query
    self.settle = settle
    self.source = source
    self.script = script
  }

  var queue: DispatchQueue? { state.withLock { $0.queue } }
  var handler: PathHandler? { state.withLock { $0.handler } }

  var currentPath: NWPath {
    state.withLock { $0.overriding } ?? source.path(for: query)
  }

  func setCurrentPath(_ path: NWPath) { state.withLock { $0.overriding = path } }

  /// A first handler that is set late must not miss the path that was there before it.
  func setHandler(_ handler: PathHandler?, of monitor: NWPathMonitor) {
    let (former, missed) = state.withLock { state -> (Former, (DispatchQueue, Int)?) in
      var former = Former(handler: state.handler)
      state.handler = handler
      former.monitor = state.keepAlive(monitor)
      guard handler != nil, state.told != nil, !state.wasHeard, let queue = state.delivery else {
        return (former, nil)
      }
      return (former, (queue, state.generation))
    }
    _ = former
    guard let (queue, generation) = missed else { return }
    queue.async { self.tellWhatWasMissed(generation) }
  }

  func start(_ monitor: NWPathMonitor, on queue: DispatchQueue) {
    let begun = state.withLock { state -> (Int, DispatchQueue)? in
      guard state.queue == nil else { return nil }
      let delivery = DispatchQueue(label: "netvane.NWPathMonitor", target: queue)
      state.queue = queue
      state.delivery = delivery
      state.generation += 1
      state.told = nil
      state.wasHeard = false
      // Nothing was kept while there was no queue.
      _ = state.keepAlive(monitor)
      return (state.generation, delivery)
    }
    guard let (generation, delivery) = begun else { return }
    script?.use(delivery)
    let listener = PathBoard.Listener(query: query, settle: settle) { told in
      delivery.async { self.deliver(told.path, generation) }
    }
    let id = source.add(listener)
    let isLate = state.withLock { state in
      guard state.generation == generation, state.queue != nil else { return true }
      state.listener = id
      return false
    }
    // Cancelled from another thread meanwhile.
    if isLate { source.remove(id) }
  }

  private func deliver(_ path: NWPath, _ generation: Int) {
    let handler = state.withLock { state -> PathHandler? in
      guard state.generation == generation, state.queue != nil else { return nil }
      state.told = path
      state.overriding = nil
      state.wasHeard = state.handler != nil
      return state.handler
    }
    handler?(path)
  }

  private func tellWhatWasMissed(_ generation: Int) {
    let (handler, path) = state.withLock { state -> (PathHandler?, NWPath?) in
      guard state.generation == generation, state.queue != nil, !state.wasHeard else {
        return (nil, nil)
      }
      state.wasHeard = state.handler != nil
      return (state.handler, state.told)
    }
    if let handler, let path { handler(path) }
  }

  func cancel() {
    let ends = state.withLock { state in
      defer { state.iterations = [:] }
      return state.iterations.keys.sorted().compactMap { state.iterations[$0] }
    }
    stop()
    for end in ends { end() }
  }

  /// Nobody holds the monitor, so nobody can cancel it any more. Iterations go on.
  func abandon() {
    stop()
    let former = state.withLock { state in
      defer { state.handler = nil }
      return Former(handler: state.handler)
    }
    _ = former
  }

  private func stop() {
    let (former, id) = state.withLock { state in
      state.queue = nil
      if let delivery = state.delivery { script?.leave(delivery) }
      state.delivery = nil
      state.told = nil
      state.overriding = nil
      return (Former(monitor: state.keepAlive(nil)), state.listener.take())
    }
    _ = former
    if let id { source.remove(id) }
  }

  // MARK: Iterations

  func addIteration(_ end: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      defer { state.nextIteration += 1 }
      state.iterations[state.nextIteration] = end
      return state.nextIteration
    }
  }

  func removeIteration(_ id: Int) { state.withLock { $0.iterations[id] = nil } }
}
#endif
