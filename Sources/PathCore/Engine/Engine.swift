/// The decisions of Netvane: facts in, orders out.
///
/// A value with no clock, no randomness and no IO: the same facts at the same moments give the same
/// orders, in a run, a test and a replay. The policies are asked through `PolicyHost`, one at a
/// time, in the order of their names.
package struct Engine {
  var policies: [PolicyState] = []
  var filters: [FilterState] = []
  var snapshot: Snapshot?
  /// The machine sleeps, or woke and nothing was read since: nothing is judged or fired.
  var isAsleep = false
  var awaitsSnapshot = false
  /// Kernel events were lost, and no snapshot was taken since.
  var owesResync = false
  /// By the awake clock: until then what is not satisfied is not believed.
  var resumeHold: Duration = .zero
  /// Timers that came due while nothing could be judged.
  var deferred: Set<TimerID> = []
  var isStopped = false
  var now = Moment(awake: .zero, boot: .zero)
  var orders: [Order] = []
  /// Ends of actions that their policies were not told yet.
  var outcomes: [(policy: String, ActionOutcome)] = []
  /// The wake-up for those that one fact was too short for.
  var outcomeWake: TimerID?
  /// In a replay: calls that their deadline ended.
  var kills: [CallID: PolicyFault] = [:]
  /// In a run: the same, for the trace.
  var killed: [Fact] = []
  /// What was not taken of the files, by the policy's name or the way to a shared file.
  var rejections: [String: Rejection] = [:]
  /// Counts the starts of actions.
  var serial: UInt64 = 0
  /// The starts whose end was not told yet.
  var working: [ActionID] = []
  /// Counts the turns for which actions wait.
  var lastTurn: UInt64 = 0
  /// What changes in them is the doing of an action.
  var disturbances: [Disturbance] = []
  let host: any PolicyHost
  let seed: UInt64

  /// A filter, however many monitors use it, and its present path.
  struct FilterState {
    var filter: PathFilter
    var path: Boxed<Path>?
    var flaps = FlapLog()
    /// What the last snapshot did to the path.
    var news = News.none
    /// What differs between two paths: several policies ask for the same two.
    private var difference: (from: Boxed<Path>, to: Boxed<Path>, causes: ChangeCauses)?

    init(filter: PathFilter) { self.filter = filter }

    mutating func causes(from old: Boxed<Path>, to new: Boxed<Path>) -> ChangeCauses {
      if let difference, difference.from.isSame(as: old), difference.to.isSame(as: new) {
        return difference.causes
      }
      let causes = ChangeCauses(from: old, to: new)
      difference = (old, new, causes)
      return causes
    }
  }

  /// One call of one policy, counted from its first.
  struct CallID: Hashable {
    var policy: String
    var call: Int64
  }

  /// The time in which an action changes the network, by the awake clock.
  struct Disturbance {
    var serial: UInt64
    var from: Duration
    var until: Duration
  }

  enum News {
    case none
    /// Equal, but the network's identity became known, or the sentence is another.
    case refined
    case moved
  }

  /// `seed` feeds the policies' random numbers.
  package init(host: any PolicyHost, seed: UInt64 = 0) {
    self.host = host
    self.seed = seed
  }

  /// Takes one fact and gives what is to be done about it, in order.
  package mutating func handle(_ fact: Fact, at moment: Moment) -> [Order] {
    now = moment
    orders.removeAll(keepingCapacity: true)
    guard !isStopped else { return [] }
    switch fact {
    case .policies(let set): replacePolicies(with: set)
    case .snapshot(let snapshot): take(snapshot)
    case .gap(let detail): noteGap(detail)
    case .timer(let id):
      if id == outcomeWake { outcomeWake = nil }
      fire(id)
    case .button(let policy, let key, let button):
      press(policy: policy, key: key, button: button)
    case .dismissed(let policy, let key): dismiss(policy: policy, key: key)
    case .result(let id, let result): takeResult(id, result)
    case .killed(let call, let fault): kills[CallID(policy: fault.policy, call: call)] = fault
    case .asleep: fallAsleep()
    case .resumed: wakeUp()
    case .stop: isStopped = true
    }
    serveTurns()
    tellOutcomes()
    tellTurns()
    return orders
  }

  /// Calls that a limit of the sandbox ended since this was last asked, as facts for the trace: the
  /// only thing that the facts before do not lead to in every process.
  package mutating func takeKilled() -> [Fact] {
    defer { killed = [] }
    return killed
  }

  // MARK: What outlives the process

  /// The policies of which something durable changed since this was last asked.
  package mutating func takeChangedMemories() -> [String] {
    var names: [String] = []
    for index in policies.indices where policies[index].isMemoryChanged {
      policies[index].isMemoryChanged = false
      names.append(policies[index].name)
    }
    return names
  }

  /// What must not be forgotten of a policy; nil for one that the engine does not have.
  package func memory(of policy: String) -> PolicyMemory? {
    policyIndex(policy).map { policies[$0].memory(atAwake: now.awake) }
  }

  /// What this policy asked for with this key, while it is under way.
  package func request(of policy: String, key: String) -> ActionRequest? {
    policyIndex(policy).flatMap { policies[$0].actions[key]?.request }
  }

  /// Whether it runs this policy, in some version.
  package func has(_ policy: String) -> Bool { policyIndex(policy) != nil }

  func policyIndex(_ name: String) -> Int? {
    // By index: an element handed to a closure would be copied, with all it refers to.
    for index in policies.indices where policies[index].declaration.name == name { return index }
    return nil
  }
}

// MARK: - Sleep and gaps

extension Engine {
  private mutating func fallAsleep() {
    guard !isAsleep else { return }
    isAsleep = true
    reviewRetries()
    tellAll(.asleep)
  }

  /// Two witnesses may tell of one sleep; the second changes nothing.
  private mutating func wakeUp() {
    guard isAsleep || !awaitsSnapshot else { return }
    isAsleep = false
    awaitsSnapshot = true
    reviewRetries()
    resumeHold = now.awake + EngineLimits.resumePatience
    for index in policies.indices {
      for monitor in policies[index].monitors.indices {
        policies[index].monitors[monitor].owedCauses.insert(.resumed)
        endUnrest(index, monitor)
        holdCandidate(index, monitor)
      }
    }
    tellAll(.resumed)
  }

  /// What was pending before the sleep proves nothing about now.
  private mutating func holdCandidate(_ policy: Int, _ monitor: Int) {
    guard var candidate = policies[policy].monitors[monitor].candidate,
      candidate.path.wrappedValue.status != .satisfied, candidate.deadline < resumeHold
    else { return }
    candidate.deadline = resumeHold
    policies[policy].monitors[monitor].candidate = candidate
    orders.append(.setTimer(timerID(.settle, policy, monitor), Deadline(.awake, resumeHold)))
  }

  private mutating func noteGap(_ detail: String) {
    orders.append(.gap(detail: detail))
    owesResync = true
    for index in policies.indices {
      for monitor in policies[index].monitors.indices {
        policies[index].monitors[monitor].owedCauses.insert(.resync)
      }
    }
    tellAll(.gap)
  }

  private mutating func tellAll(_ event: SystemEvent) {
    for index in policies.indices { run(index, .system(event)) }
  }
}
