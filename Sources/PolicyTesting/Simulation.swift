import PathCore
import PathPolicy
import PathSimulation

/// One run of a case: the policy in the real engine, a virtual clock and a network, and the answers
/// to what the test asks of them.
final class Simulation {
  let script: PolicyScript
  let budget: Budget
  let setting: Setting
  private(set) var world: World?
  private(set) var host: WatchedHost
  /// Of hosts that were killed.
  private var earlier = PolicyRecord()
  var config: PlainData = .emptyMap
  /// Where the test set it, for messages.
  var configPlace = "sim.config"
  var network = SimulatedNetwork()
  /// How often the test compared something.
  var checks = 0
  /// What was not as expected where the test goes on all the same, and where in the test.
  private(set) var misses: [(objection: Objection, line: Int)] = []
  /// What ended the case, and where in the test.
  private(set) var objection: (objection: Objection, line: Int)?
  /// Faults of the policy that the test did not expect yet.
  var faults: [PolicyFault] = []
  /// Actions that were begun and have not ended, by key.
  var running: [String: RunningAction] = [:]
  /// Results that are owed to the engine.
  private var owed: [(ActionID, ActionResult)] = []
  private var isPaying = false
  /// Orders before this one were marked as seen.
  var mark = 0
  /// What the property drew so far, and the simplest form of each.
  private(set) var drawn: [Drawn] = []
  private var work = 0
  /// The line that asked last.
  private(set) var line = 0

  struct RunningAction {
    var id: ActionID
    var action: Action
  }

  /// What is the same for all runs.
  struct Setting {
    var seed: UInt64 = 1
    var notesLines = false
    /// Of the policies and tests, which each run loads anew.
    var texts = CompiledTexts()
    var clock: (() -> Duration)?
  }

  init(_ script: PolicyScript, _ budget: Budget, _ setting: Setting) {
    self.script = script
    self.budget = budget
    self.setting = setting
    host = WatchedHost(PolicyRuntime(texts: setting.texts), clock: setting.clock)
  }

  /// The answer to what the test asked. Once something went wrong the run is over, whatever the
  /// test makes of it, unless the test said beforehand that it goes on.
  func answer(_ value: PlainValue) -> LuaState.Answer {
    guard let question = Question(value) else { return .refused("the question is not readable") }
    if question.line > 0 { line = question.line }
    do throws(Objection) {
      if let objection { throw objection.objection }
      guard let reply = try perform(question) else { return .nothing }
      return PlainEncoder.encode(reply).map { .value($0) } ?? .nothing
    } catch {
      guard objection == nil else { return .refused(error.message) }
      if question.isSoft, error.kind == .miss, misses.count < Self.missesMost {
        misses.append((error, question.line))
        return .nothing
      }
      objection = (error, question.line)
      return .refused(error.message)
    }
  }

  /// What is still wrong when the test is done.
  func finish() {
    guard objection == nil else { return }
    do throws(Objection) {
      try checkFaults()
      if checks == 0 {
        throw .miss("the case checks nothing: it needs an expectation, such as sim.expect { … }")
      }
    } catch {
      objection = (error, faultsLine)
    }
  }

  private var faultsLine: Int { faults.isEmpty ? 0 : line }

  /// What the policy did in this run.
  func takeRecord() -> PolicyRecord {
    var record = earlier
    record.add(host.takeRecord(of: script.name))
    earlier = PolicyRecord()
    return record
  }

  /// What happened, for a failure.
  var timeline: [String] { world?.timeline(last: Self.timelineLines) ?? [] }

  static let timelineLines = 12
  /// So many expectations may fail and the case go on.
  static let missesMost = 50

  func note(_ drawn: Drawn) { self.drawn.append(drawn) }

  // MARK: The policy

  var isStarted: Bool { world != nil }

  var settings: PolicySettings {
    var settings = PolicySettings(config: config, place: configPlace, deadline: nil)
    settings.notesLines = setting.notesLines
    return settings
  }

  /// The first start, with nothing remembered.
  func start() throws(Objection) {
    let world = World(host: host, seed: setting.seed, steps: budget.steps)
    world.wallOffset = Self.wallStart
    world.afterFact = { [unowned self] in take($0) }
    self.world = world
    try feed(.policies(try load(reason: .start)))
  }

  /// Monday, 5 January 2026, noon in UTC.
  private static let wallStart = Duration.seconds(1_767_614_400)

  func load(
    reason: StartReason, memories: [String: PolicyMemory] = [:], anew: Bool = false
  ) throws(Objection) -> PolicySet {
    let settings = settings
    let set = host.runtime.load(
      [script], reason: reason, memories: memories, evenIfUnchanged: anew
    ) { _ in settings }
    if let fault = set.rejected.first {
      // What is wrong with the settings has no line of the policy.
      let isPlaced = fault.file == script.file && fault.line > 0
      let text = isPlaced ? fault.located : fault.message
      throw .misuse("the policy is refused: \(text)")
    }
    return set
  }

  /// The process is killed; another one takes its place.
  func replaceHost() throws(Objection) {
    let world = try started()
    earlier.add(host.takeRecord(of: script.name))
    host = WatchedHost(PolicyRuntime(texts: setting.texts), clock: setting.clock)
    running = [:]
    owed = []
    world.restart(host: host)
  }

  func started() throws(Objection) -> World {
    guard let world else {
      throw .misuse("nothing runs yet: begin with sim.network { … } or sim.path { … }")
    }
    return world
  }

  // MARK: Facts

  func feed(_ fact: Fact) throws(Objection) {
    let world = try started()
    do throws(World.BudgetSpent) {
      try world.checkBudget()
    } catch {
      throw spent(error)
    }
    world.feed(fact)
  }

  func run(for time: Duration) throws(Objection) {
    let world = try started()
    do throws(World.BudgetSpent) {
      try world.run(for: time)
    } catch {
      throw spent(error)
    }
  }

  /// Takes account of what a question costs.
  func charge(_ entries: Int) throws(Objection) {
    work += entries
    guard work > budget.work else { return }
    throw Objection(
      kind: .budget,
      message: "the case asks for more work than one case may: too many "
        + "expectations of too much, or too many changes of too large a network")
  }

  private func spent(_ error: World.BudgetSpent) -> Objection {
    if host.fuel > budget.policyFuel {
      return Objection(
        kind: .budget,
        message: "the policy used up the \(budget.policyFuel) units of fuel that one case may take")
    }
    return Objection(
      kind: .budget,
      message: "more than \(error.steps) events in one case: a timer that comes back too soon, or "
        + "too long a time")
  }

  /// A policy that failed fails the case, unless the test says that it should.
  func checkFaults() throws(Objection) {
    guard let fault = faults.first else { return }
    throw .miss(
      "the policy failed in \(fault.handler?.rawValue ?? "loading"): \(fault.located)")
  }

  /// Looks at what the engine ordered: what a machine would answer at once is answered.
  private func take(_ orders: [Order]) {
    for order in orders {
      switch order {
      case .fault(let fault): faults.append(fault)
      case .perform(let id, let action, _):
        running[id.key] = RunningAction(id: id, action: action)
        if let result = network.answerAtOnce(action) { owed.append((id, result)) }
      case .cancel(let id): owed.append((id, ActionResult(.dropped, error: "it was cancelled")))
      default: break
      }
    }
    if host.fuel > budget.policyFuel { world?.spendBudget() }
    payResults()
  }

  private func payResults() {
    guard !isPaying, let world else { return }
    isPaying = true
    while !owed.isEmpty {
      let (id, result) = owed.removeFirst()
      if running[id.key]?.id == id { running[id.key] = nil }
      world.feed(.result(id, result))
    }
    isPaying = false
  }
}

/// Something that a property drew, and the simplest form it could have.
struct Drawn: Hashable, Sendable {
  var value: PlainValue
  var simplest: PlainValue
}
