import Foundation
import LuaSandbox
import Testing

/// The files of `Tests/Hostile`: each says in its head what it tries and how that must end.
@Suite("hostile policies", .serialized) struct HostileTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var bytes: [UInt8]
    var expectation: String
    var needsAPI: Bool

    var testDescription: String { name }
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Hostile")

  static let cases: [Case] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".lua") }.sorted().map { name in
      let data = (try? Data(contentsOf: folder.appending(path: name))) ?? Data()
      let head = String(decoding: data.prefix(1000), as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false)
      let expectation = head.first { $0.hasPrefix("-- expect: ") }?.dropFirst(11) ?? ""
      return Case(
        name: name, bytes: Array(data), expectation: String(expectation),
        needsAPI: head.contains("-- needs: api"))
    }
  }()

  @Test("the corpus has a file for each row and each file says what to expect")
  func corpusIsComplete() {
    let rows = Set(Self.cases.compactMap { Int($0.name.prefix(2)) })
    for row in 1...62 { #expect(rows.contains(row), "row \(row) is missing") }
    let outcomes = ["fuel", "memory", "stopped", "error ", "load-error ", "ok"]
    for item in Self.cases {
      #expect(outcomes.contains { item.expectation.hasPrefix($0) }, "\(item.name)")
    }
  }

  @Test("a hostile policy ends as its file says", arguments: cases.filter { !$0.needsAPI })
  func endsAsExpected(_ item: Case) throws {
    let bystander = try Box()
    do {
      let box = try Box(prelude: Box.closedPrelude)
      let before = processorTime()
      let loaded = box.load(item.bytes, file: item.name)
      let outcome = loaded.status == LUASANDBOX_OK ? box.call() : loaded
      #expect(processorTime() - before < .milliseconds(500), "it took too long")
      check(outcome, item.expectation, whileLoading: loaded.status != LUASANDBOX_OK)
    }
    #expect(luasandbox_unbalanced() == 0)
    #expect(bystander.evaluate("return 1 + 1").value == 2)
  }

  /// What this thread used, so that other work on the machine does not count.
  private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private func check(_ outcome: Box.Outcome, _ expectation: String, whileLoading: Bool) {
    let words = expectation.split(separator: " ", maxSplits: 1).map(String.init)
    let text = words.count > 1 ? words[1] : ""
    switch words[0] {
    case "fuel": #expect(outcome.status == LUASANDBOX_FUEL, "\(outcome.text)")
    case "memory": #expect(outcome.status == LUASANDBOX_MEMORY, "\(outcome.text)")
    // By whichever of the two limits a machine of this speed reaches first.
    case "stopped":
      #expect(
        outcome.status == LUASANDBOX_MEMORY || outcome.status == LUASANDBOX_FUEL,
        "\(outcome.text)")
    case "ok": #expect(outcome.status == LUASANDBOX_OK, "\(outcome.text)")
    case "error":
      #expect(!whileLoading && outcome.status == LUASANDBOX_ERROR)
      #expect(outcome.text.contains(text))
    case "load-error":
      #expect(whileLoading)
      #expect([LUASANDBOX_ERROR, LUASANDBOX_SYNTAX, LUASANDBOX_DEADLINE].contains(outcome.status))
      #expect(outcome.text.contains(text))
    default: Issue.record("unknown outcome '\(expectation)'")
    }
    if outcome.status != LUASANDBOX_OK { #expect(outcome.bytes.count <= 4096) }
  }
}
