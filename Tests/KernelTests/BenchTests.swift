import Foundation
import Testing

/// The workloads of `netvane-bench` in their small size: they fail when the daemon does not report
/// a change, ends a storm with a wrong verdict, or cannot be measured at all. What they measure is
/// not looked at here.
@Suite(.serialized, .enabled(if: Lab.isWanted)) struct BenchTests {
  @Test(arguments: [
    "facts", "latency", "exec", "storm", "links", "far", "idle", "store", "library", "cases",
  ])
  func `a workload does its work in its small size`(name: String) throws {
    let top = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let bench = Process()
    bench.executableURL = top.appending(path: ".build/debug/netvane-bench")
    bench.currentDirectoryURL = top
    bench.arguments = [name, "--size", "small"]
    let output = Pipe()
    bench.standardOutput = output
    bench.standardError = output
    try bench.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    bench.waitUntilExit()
    #expect(bench.terminationStatus == 0, "\(text)")
    let lines = text.split(separator: "\n").map { $0.split(separator: "\t") }
    #expect(!lines.isEmpty && lines.allSatisfy { $0.count >= 3 && $0[0] == name }, "\(text)")
  }
}
