import Glibc
import PathCore
import PathPolicy
import PathTestKit
import Testing

/// The hostile files as policies, between two good ones, under the real engine.
@Suite(.serialized) struct HostileCorpusTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var source: [UInt8]
    var expectation: String
    var needs: [String]

    var testDescription: String { name }
    var isLarge: Bool { source.count > ScriptFile.sizeMax }
  }

  static let cases: [Case] = read()

  private static func read() -> [Case] {
    let folder = Repository.path("Tests/Hostile")
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var cases: [Case] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(".lua"), let source = try? ScriptFile.read(folder + "/" + name) else {
        continue
      }
      let head = String(decoding: source.prefix(1000), as: UTF8.self).split(separator: "\n")
      func words(_ mark: String) -> [String] {
        head.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
      }
      cases.append(
        Case(
          name: name, source: source, expectation: words("-- expect: ").first ?? "",
          needs: words("-- needs: ")))
    }
    return cases.sorted { $0.name < $1.name }
  }

  static let good = """
    local p = { api = 1, state = { n = 0 } }
    local function count(ctx) ctx.state.n = ctx.state.n + 1 ctx.publish("n", ctx.state.n) end
    p.on_start, p.on_path = count, count
    return p
    """

  /// What a round under one file led to.
  struct Round {
    var faults: [PolicyFault] = []
    var rejections: [PolicyFault] = []
    var served: [Int64?] = []
    var processorTime: Duration = .zero
    var simulator: Simulator
  }

  func play(_ item: Case, deadline: Duration?) -> Round {
    var round = Round(simulator: Simulator())
    let simulator = round.simulator
    let scripts = [
      PolicyScript("a-good", Self.good),
      PolicyScript(name: "hostile", file: item.name, source: item.source),
      PolicyScript("z-good", Self.good),
    ]
    let before = processorTime()
    // What an older version left, for those that would migrate it.
    var old = PolicyMemory()
    old.state = .text("old")
    old.version = 1
    let memories = item.needs.contains("store") ? ["hostile": old] : [:]
    let set = simulator.runtime.load(scripts, reason: .start, memories: memories) { _ in
      PolicySettings(deadline: deadline)
    }
    round.rejections = set.rejected
    simulator.feed(.policies(set))
    round.processorTime = processorTime() - before
    simulator.feed(.snapshot(.online()))
    simulator.feed(.snapshot(.offline()))
    simulator.advance(.seconds(1))
    simulator.feed(.snapshot(.online()))
    simulator.advance(.seconds(30))
    for entry in simulator.log {
      if case .fault(let fault) = entry.order { round.faults.append(fault) }
    }
    round.served = ["a-good", "z-good"].map { name in
      simulator.published["\(name)/n"].flatMap { PlainReader.decode($0) }?.integer
    }
    return round
  }

  /// What this thread used, so that other work on the machine does not count.
  private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private func check(_ item: Case, _ round: Round, mayRunLate: Bool) {
    let words = item.expectation.split(separator: " ", maxSplits: 1).map(String.init)
    let part = words.count > 1 ? words[1] : ""
    let first = round.rejections.first ?? round.faults.first
    let said = first?.located ?? "nothing"
    func ended(_ kind: PolicyFault.Kind, _ text: String) -> Bool {
      first?.kind == kind || first?.message.contains(text) == true
        || mayRunLate && (first?.kind == .deadline || first?.message.contains("ran longer") == true)
    }
    switch words.first {
    case "fuel": #expect(ended(.fuel, "fuel"), "\(said)")
    case "memory": #expect(ended(.memory, "memory"), "\(said)")
    // By whichever of the two limits a machine of this speed reaches first.
    case "stopped": #expect(ended(.memory, "memory") || ended(.fuel, "fuel"), "\(said)")
    case "ok": #expect(first == nil, "\(said)")
    case "error":
      #expect(round.rejections == [])
      #expect(first?.message.contains(part) == true, "\(said)")
    case "load-error":
      #expect(round.rejections.first?.message.contains(part) == true, "\(said)")
    default: Issue.record("\(item.name) says no outcome")
    }
    if let first {
      #expect(first.file == item.name && first.line > 0 && first.policy == "hostile", "\(said)")
      #expect(first.message.utf8.count <= 4096)
    }
  }

  @Test func `each file says how it ends`() {
    #expect(Self.cases.count > 100)
    for row in 1...62 {
      let number = row < 10 ? "0\(row)-" : "\(row)-"
      #expect(Self.cases.contains { $0.name.hasPrefix(number) }, "row \(row)")
    }
  }

  /// A sanitizer makes everything several times slower; what it runs is no measure of time.
  private static let patience: Duration =
    getenv("NETVANE_SANITIZER") == nil ? .milliseconds(500) : .seconds(10)

  @Test(arguments: cases) func `a hostile policy ends as it says and harms no other`(_ item: Case) {
    let round = play(item, deadline: nil)
    check(item, round, mayRunLate: false)
    #expect(round.served == [4, 4])
    #expect(PolicyRuntime.unbalancedStates == 0)
    #expect(round.processorTime < Self.patience, "\(round.processorTime)")
  }

  @Test(arguments: cases) func `nor does it under the deadline of a real run`(_ item: Case) {
    let round = play(item, deadline: .milliseconds(250))
    check(item, round, mayRunLate: true)
    #expect(round.served == [4, 4])
  }

  /// Where in an endless loop the fuel ran out is not part of it.
  @Test(
    arguments: cases.filter {
      $0.needs.contains("api") || $0.name < "06" || $0.name.hasPrefix("47-")
    })
  func `its end is the same each time`(_ item: Case) {
    let orders = (0..<2).map { _ in
      play(item, deadline: nil).simulator.log.map { entry in
        guard case .fault(var fault) = entry.order, [.fuel, .memory].contains(fault.kind) else {
          return "\(entry.at) \(entry.order)"
        }
        fault.line = 0
        return "\(entry.at) \(fault)"
      }
    }
    #expect(orders[0] == orders[1])
  }

  @Test func `rounds without end leave no memory behind`() throws {
    let items = Self.cases.filter { item in
      ["02-", "27-", "28-", "44-", "52-", "57-", "59-"].contains { item.name.hasPrefix($0) }
    }
    func rounds(_ count: Int) -> Int {
      for _ in 0..<count { for item in items { _ = play(item, deadline: nil) } }
      var line = [CChar](repeating: 0, count: 128)
      let file = fopen("/proc/self/statm", "r")
      defer { if let file { fclose(file) } }
      guard let file, fgets(&line, 128, file) != nil else { return 0 }
      let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        .split(separator: " ")
      return words.count > 1 ? (Int(words[1]) ?? 0) * 4 : 0
    }
    _ = rounds(2)
    let before = rounds(1)
    let after = rounds(6)
    #expect(PolicyRuntime.unbalancedStates == 0)
    #expect(before > 0 && after - before < 24 * 1024, "from \(before) to \(after) KiB")
  }
}
