import PathTestKit
import Testing

@testable import PathCore

/// A policy that goes on in another run of Netvane where an earlier one stopped.
@Suite struct RestoreTests {
  /// A world at a time of the boot clock, with a policy `p` that logs its starts and timers.
  private func world(
    at time: Duration = .zero,
    path: @escaping (HandlerRequest, inout HandlerOutcome) -> Void = { _, _ in }
  ) -> ScriptedWorld {
    let world = ScriptedWorld()
    world.advance(time)
    world.host.on("p", .path) { request, outcome in path(request, &outcome) }
    world.host.on("p", .timer) { request, outcome in
      if case .timer(let name, let late) = request.event { outcome.log("\(name) \(late)") }
    }
    world.host.on("p", .start) { request, outcome in
      if case .start(let reason) = request.event { outcome.log("start \(reason)") }
    }
    return world
  }

  private func declaration(_ world: ScriptedWorld, version: Int64 = 0) -> PolicyDeclaration {
    var declaration = world.host.declaration("p", settle: .fixed(.seconds(2)))
    declaration.version = version
    return declaration
  }

  private static func alert(
    _ key: String, expires: Duration? = nil
  ) -> (String, PolicyMemory.Alert) {
    (key, PolicyMemory.Alert(content: AlertContent(key: key, title: key), expires: expires))
  }

  /// Something of everything; at 60 s the timer "late", the turn and the alert "old" are overdue.
  private var memory: PolicyMemory {
    var memory = PolicyMemory()
    memory.state = .text("kept")
    memory.wasStarted = true
    memory.timers = [
      "late": PolicyMemory.Timer(deadline: .seconds(20)),
      "soon": PolicyMemory.Timer(deadline: .seconds(70)),
    ]
    memory.recurring = ["tick": PolicyMemory.Turn(deadline: .seconds(15), period: .seconds(10))]
    memory.alerts = Dictionary(uniqueKeysWithValues: [
      Self.alert("old", expires: .seconds(30)), Self.alert("up"),
    ])
    memory.published = ["color": .text("red")]
    return memory
  }

  private func ticking(_ world: ScriptedWorld) -> PolicyDeclaration {
    var declaration = declaration(world)
    declaration.every = [RecurringTimer(name: "tick", period: .seconds(10))]
    return declaration
  }

  @Test func `what is up comes first, then the start, the first verdict, and what is overdue`() {
    let world = world(at: .seconds(60))
    world.start([ticking(world)], memories: ["p": memory])
    world.up()
    world.advance(.seconds(11))
    #expect(
      world.story == [
        "@60.000s policy p loaded", #"@60.000s alert p old expired info "old""#,
        #"@60.000s alert p up raised info "up" by restored"#,
        #"@60.000s log p "start start""#, #"@60.000s publish p color "red" restored"#,
        "@60.000s deliver p internet satisfied via wlan0 initial #1",
        #"@60.000s log p "tick 45.0 seconds""#,
        #"@60.000s log p "late 40.0 seconds""#, #"@65.000s log p "tick 0.0 seconds""#,
        #"@70.000s log p "soon 0.0 seconds""#,
      ])
    #expect(world.host.state(of: "p") == .text("kept"))
    #expect(world.host.complaints == [])
  }

  @Test func `a first verdict that takes its time holds back what is overdue, and nothing else`() {
    let world = world(at: .seconds(60))
    var memory = memory
    memory.timers["soon"]?.deadline = .seconds(62)
    world.start([declaration(world)], memories: ["p": memory])
    world.down()
    world.advance(.seconds(4))
    #expect(
      world.story.suffix(2) == [
        #"@60.000s publish p color "red" restored"#, #"@62.000s log p "soon 0.0 seconds""#,
      ])
    world.advance(.seconds(1))
    #expect(world.story.suffix(2).first?.hasPrefix("@65.000s deliver p internet unsatis") == true)
    #expect(world.story.last == #"@65.000s log p "late 45.0 seconds""#)
  }

  @Test func `an alert whose time was over before the start is told as expired, never as raised`() {
    let world = world(at: .seconds(60)) { request, outcome in
      if request.change?.path.status != .satisfied { outcome.raise("old", "lost") }
    }
    world.start([declaration(world)], memories: ["p": memory])
    let states = { world.notices.filter { $0.notice.content.key == "old" }.map(\.notice.state) }
    #expect(states() == [.expired])
    world.down()
    world.advance(.seconds(30))
    #expect(states() == [.expired, .raised])
    #expect(world.alerts["p/old"]?.title == "lost")
  }

  @Test func `a value that the start replaces is not told as it was`() {
    let world = world(at: .seconds(60))
    world.host.on("p", .start) { _, outcome in outcome.publish("color", "gray") }
    world.start([declaration(world)], memories: ["p": memory])
    #expect(world.story.filter { $0.contains("publish") } == [#"@60.000s publish p color "gray""#])
  }

  @Test func `an alert that was up is raised by nobody twice`() {
    let world = world(at: .seconds(60)) { _, outcome in outcome.raise("up", "up") }
    world.start([declaration(world)], memories: ["p": memory])
    world.up()
    let notices = world.notices.map(\.notice).filter { $0.content.key == "up" }
    #expect(notices.map(\.cause) == [.restored])
    world.host.on("p", .path) { _, outcome in outcome.resolve("up") }
    world.down()
    world.advance(.seconds(2))
    #expect(world.notices.last?.notice.state == .resolved)
  }

  @Test func `a published value is told once, and again only when it differs`() {
    let world = world(at: .seconds(60)) { request, outcome in
      outcome.publish("color", request.change?.path.status == .satisfied ? "red" : "blue")
    }
    world.start([declaration(world)], memories: ["p": memory])
    world.up()
    #expect(world.story.filter { $0.contains("publish") }.count == 1)
    world.down()
    world.advance(.seconds(2))
    #expect(world.published["p/color"] == .text("blue"))
  }

  @Test func `after a reboot a timer that came due fires only if it may`() {
    var memory = PolicyMemory()
    memory.timers = [
      "plain": PolicyMemory.Timer(deadline: .seconds(1010)),
      "across": PolicyMemory.Timer(deadline: .seconds(1010), acrossReboot: true),
      "later": PolicyMemory.Timer(deadline: .seconds(1100)),
    ]
    let hour = WallTime(unixNanoseconds: 3_600_000_000_000)
    let stored = BootStamp(bootID: "a", boot: .seconds(1000), wall: hour)
    let now = BootStamp(
      bootID: "b", boot: .seconds(30),
      wall: WallTime(unixNanoseconds: hour.unixNanoseconds + 60_000_000_000))
    let world = world(at: .seconds(30))
    world.start(
      [declaration(world)], reason: .boot,
      memories: ["p": memory.translated(from: stored, to: now)])
    world.up()
    world.advance(.seconds(100))
    #expect(
      world.story.filter { $0.contains("log") } == [
        #"@30.000s log p "start boot""#, #"@30.000s log p "across 30.0 seconds""#,
        #"@70.000s log p "later 0.0 seconds""#,
      ])
  }

  @Test func `a policy that kept failing is well again once a handler is`() {
    let first = world()
    first.host.on("p", .system) { _, _ in throw ScriptedHost.Failure("no") }
    first.start(declaration(first))
    for _ in 0..<3 { first.feed(.gap(detail: "")) }
    let memory = first.engine.memory(of: "p") ?? PolicyMemory()
    #expect(memory.alerts.keys.sorted() == ["policy-fault"])
    let second = world(at: .seconds(5))
    second.start([declaration(second)], memories: ["p": memory])
    #expect(second.notices.map(\.notice.state) == [.raised, .resolved])
    #expect(second.notices.map(\.notice.cause) == [.restored, .handler])
    #expect(second.engine.memory(of: "p")?.alerts == [:])
  }

  @Test func `a state that no handler changed is the default of the text, also of another one`() {
    let first = world()
    var declaration = declaration(first)
    declaration.state = .text("default")
    first.start(declaration)
    let memory = first.engine.memory(of: "p")
    #expect(memory?.state == nil && memory?.wasStarted == true)
    let second = world()
    declaration.state = .text("other default")
    second.start([declaration], memories: ["p": memory ?? PolicyMemory()])
    #expect(second.engine.policies.first?.state == .text("other default"))
  }

  @Test func `a state of a newer version is kept as it is, and said to be so`() {
    var memory = memory
    memory.version = 3
    let world = world()
    world.start([declaration(world, version: 2)], memories: ["p": memory])
    #expect(world.story.first?.contains("version 3") == true, "\(world.story)")
    #expect(world.engine.memory(of: "p")?.version == 3)
    #expect(world.engine.memory(of: "p")?.state == .text("kept"))
  }

  @Test func `a migrated state is of the version of the text`() {
    let world = world()
    world.start(
      [declaration(world, version: 2)], memories: ["p": memory], migrated: ["p": .text("new")])
    #expect(world.host.state(of: "p") == .text("new"))
    #expect(world.engine.memory(of: "p")?.version == 2)
    world.reload([declaration(world, version: 5)], changed: ["p"])
    #expect(world.engine.memory(of: "p")?.version == 5)
    #expect(world.engine.memory(of: "p")?.state == .text("new"))
  }

  @Test func `a policy that was switched off meanwhile leaves no alert and no timer`() {
    let world = world(at: .seconds(60))
    var declaration = declaration(world)
    declaration.isEnabled = false
    world.start([declaration], memories: ["p": memory])
    world.up()
    #expect(world.alerts.isEmpty && world.timers.isEmpty)
    #expect(world.notices.allSatisfy { $0.notice.state == .resolved })
    #expect(world.engine.memory(of: "p")?.state == .text("kept"))
  }

  @Test func `only what changed is to be stored`() {
    var engine = Engine(host: ScriptedHost())
    #expect(engine.takeChangedMemories() == [])
    let host = ScriptedHost()
    engine = Engine(host: host)
    host.on("a", .path) { _, _ in }
    host.on("b", .path) { request, outcome in
      outcome.publish("status", request.change?.path.status.rawValue ?? "")
    }
    let policies = [host.declaration("a"), host.declaration("b")]
    func at(_ seconds: Int) -> Moment { Moment(awake: .seconds(seconds), boot: .seconds(seconds)) }
    _ = engine.handle(
      .policies(PolicySet(reason: .start, loaded: policies, changed: ["a", "b"])), at: at(0))
    #expect(engine.takeChangedMemories() == ["a", "b"])
    #expect(engine.takeChangedMemories() == [])
    _ = engine.handle(.snapshot(.online()), at: at(1))
    #expect(engine.takeChangedMemories() == ["b"])
    _ = engine.handle(.snapshot(.online()), at: at(2))
    #expect(engine.takeChangedMemories() == [])
    #expect(engine.memory(of: "c") == nil)
  }

  @Test func `a trace that begins with memories decides the same again`() throws {
    func played(_ facts: [(at: Moment, fact: Fact)]?) -> [String] {
      let world = world(at: .seconds(60)) { _, outcome in outcome.raise("up", "else") }
      guard let facts else {
        world.start([ticking(world)], memories: ["p": memory])
        world.down()
        world.advance(.seconds(40))
        recorded = world.facts
        return world.log.map { "\($0.order)" }
      }
      var engine = Engine(host: world.host, seed: 1)
      _ = ticking(world)
      return facts.flatMap { engine.handle($0.fact, at: $0.at).map { "\($0)" } }
    }
    var recorded: [(at: Moment, fact: Fact)] = []
    let orders = played(nil)
    let read = try recorded.map { try TraceReader().fact($0.fact.json(at: $0.at)) }
    #expect(played(read) == orders)
    #expect(orders.count > 10)
  }

  /// At any point of any history: the next run has all of it again, and nothing is due twice.
  @Test func `a run that is cut off anywhere goes on with the same alerts, timers and values`() {
    for seed in UInt64(1)...150 {
      var generator = SplitMix64(seed: seed)
      let before = RandomWorld(watches: false)
      _ = before.run((0..<Int(seed % 40)).map { _ in .random(&generator) })
      let names = before.world.engine.policies.map(\.name)
      var memories: [String: PolicyMemory] = [:]
      for name in names {
        let memory = before.world.engine.memory(of: name)
        memories[name] = memory.flatMap { PolicyMemory(bytes: $0.bytes) }
        #expect(memories[name] == memory, "seed \(seed)")
      }
      let after = ScriptedWorld(seed: 7)
      after.advance(before.world.boot)
      after.start(before.world.engine.policies.map(\.declaration), memories: memories)
      for name in names {
        let told = after.notices.map(\.notice).filter {
          $0.policy == name && $0.cause == .restored
        }
        #expect(told.map(\.content.key) == memories[name]?.alerts.keys.sorted(), "seed \(seed)")
        #expect(
          after.engine.memory(of: name)?.published == memories[name]?.published, "seed \(seed)")
        #expect(after.engine.memory(of: name)?.timers == memories[name]?.timers, "seed \(seed)")
      }
    }
  }
}
