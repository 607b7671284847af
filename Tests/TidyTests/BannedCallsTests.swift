import Testing

struct BannedCallsTests {
  @Test func `the sources use no banned call`() {
    for finding in SourceTree.sources.flatMap(BannedCalls.check) { Issue.record("\(finding)") }
  }

  @Test func `every unchecked value names its guard`() {
    for finding in SourceTree.sources.flatMap(BannedCalls.checkGuards) {
      Issue.record("\(finding)")
    }
  }

  @Test(arguments: [
    ("PathDaemon", "  print(path)"), ("PathDaemon", "debugPrint(path)"),
    ("netvane", "fatalError(a)"),
    ("PathCore", "let a = try! b()"), ("PathCore", "let a = b as! C"),
    ("PathDaemon", "DispatchQueue.main.async {}"), ("PathDaemon", "Task { await a() }"),
    ("PathDaemon", "Task.detached { }"), ("PathKernel", "sleep(1)"), ("PathKernel", "usleep(10)"),
    ("netvane", "let now = Date()"), ("PathCore", "let a = Int.random(in: 0..<2)"),
    ("PathCore", "list.shuffled()"), ("PathCore", "ContinuousClock().now"),
    ("PathKernel", "String(cString: name)"), ("PathKernel", "unsafe String(cString: name)"),
  ]) func `each banned call is found`(room: String, text: String) {
    let findings = BannedCalls.check(SourceFile(path: "Sources/\(room)/A.swift", text: text))
    #expect(findings.count == 1)
    #expect(findings.first?.message.contains("instead: ") == true)
  }

  @Test(arguments: [
    ("netvane", "print(help)"), ("PathDaemon", "console.print(help)"), ("PathDaemon", "reprint(a)"),
    ("PathCore", "// print(a)"), ("PathCore", "let a = \"try! \\\"as! sleep(1)\""),
    ("PathCore", "let candidate = UpDate(a)"), ("PathCore", "func asleep(_ a: Int) {}"),
    ("PathKernel", "String(cString: strerror(errno))"), ("PathCore", "let a = b as? C"),
    ("PathDaemon", "struct TaskList {}"), ("PathDaemon", "Int.random(in: 0..<2)"),
  ]) func `what only looks like one is let through`(room: String, text: String) {
    let findings = BannedCalls.check(SourceFile(path: "Sources/\(room)/A.swift", text: text))
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test(arguments: [
    "final class A: @unchecked Sendable {}",
    "// Fast.\nnonisolated(unsafe) var a = 1",
    "// Guarded by the loop.\n\nnonisolated(unsafe) var a = 1",
  ]) func `an unchecked value without its guard is found`(text: String) {
    #expect(guards(text).count == 1)
  }

  @Test(arguments: [
    "// Guarded by `lock`.\nfinal class A: @unchecked Sendable {}",
    "/// A.\n// The guard is the loop's thread.\n@frozen\nnonisolated(unsafe) var a = 1",
    "// It is not @unchecked Sendable.\nstruct A {}",
  ]) func `an unchecked value with its guard is let through`(text: String) {
    #expect(guards(text).isEmpty)
  }

  private func guards(_ text: String) -> [Finding] {
    BannedCalls.checkGuards(SourceFile(path: "Sources/PathDaemon/A.swift", text: text))
  }
}
