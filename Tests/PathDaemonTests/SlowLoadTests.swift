import Foundation
import Glibc
import PathCore
import PathPolicy
import Testing

@testable import PathDaemon

/// A directory whose policies take long to load: the loop has its turns meanwhile.
@Suite(.serialized) struct SlowLoadTests {
  /// Loading it takes most of the fuel there is.
  private static func slow(_ number: Int) -> String {
    """
    for i = 1, 4000000 do end
    local p = { api = 1, settle = "0s", state = { n = 0 } }
    function p.on_start(ctx, ev)
      ctx.alert.raise { key = "k", title = "t", buttons = { { id = "b", label = "B" } } }
      ctx.publish("v", "\(number) " .. ev.reason)
    end
    function p.on_path(ctx) ctx.publish("path", "seen") end
    function p.on_button(ctx)
      ctx.state.n = ctx.state.n + 1
      ctx.log("\(number) " .. ctx.state.n)
    end
    return p
    """
  }

  private static let names = (10..<40).map { "p\($0)" }

  private static func all(_ number: Int) -> [String: String] {
    Dictionary(uniqueKeysWithValues: names.map { ($0, slow(number)) })
  }

  /// Does this in turns of the loop's own while `isWanted`, from its first turn on.
  private func inEachTurn(
    _ run: EditedRun, _ body: @escaping (Int) -> Bool
  ) throws -> LoopTimer {
    var turn = 0
    var timer: LoopTimer?
    timer = try run.daemon.loop.makeTimer(.awake) {
      turn += 1
      if body(turn) { timer?.arm(at: Clocks.read(CLOCK_MONOTONIC)) }
    }
    timer?.arm(at: Clocks.read(CLOCK_MONOTONIC))
    return timer!
  }

  @Test func `the loop runs while a directory loads at the start, and ready is told after it`()
    throws
  {
    let run = try EditedRun(Self.all(1))
    var turns = 0
    let timer = try inEachTurn(run) { _ in
      if run.has("ready") { return false }
      turns += 1
      return true
    }
    try run.play([run.until("ready 30"), run.until("p39.v=1 start")])
    #expect(turns >= 2)
    timer.disarm()
  }

  @Test func `the kernel is heard and judged meanwhile, and each policy is told of it`() throws {
    let run = try EditedRun(Self.all(1))
    var wasRead = false
    let timer = try inEachTurn(run) { turn in
      if turn == 1 {
        #expect(!run.has("ready"))
        run.daemon.read()
        wasRead = run.daemon.lastRead > .zero
      }
      return false
    }
    try run.play([run.until("ready 30"), run.until("p10.path=seen"), run.until("p39.path=seen")])
    #expect(wasRead)
    timer.disarm()
  }

  @Test func `a run that is to end while it loads ends, and loads no further`() throws {
    let run = try EditedRun(Self.all(1))
    let timer = try inEachTurn(run) { _ in
      run.daemon.end()
      return false
    }
    run.stage.play([.pause(.seconds(20))])
    #expect(try run.daemon.run() == 0)
    #expect(!run.has("ready") && !run.has("p10.v"))
    timer.disarm()
  }

  @Test
  func `what happens during a reload is judged by what runs, and all of it is replaced at once`()
    throws
  {
    let run = try EditedRun(Self.all(1))
    var isJudged = false
    var timer: LoopTimer?
    try run.play([
      run.until("ready"), run.until("p39.v=1 start"),
      .act {
        for (name, text) in Self.all(2) { try run.folder.replace("p/\(name).lua", text) }
        run.clear()
        run.daemon.hangUp()
        // The load goes on in later turns; nothing of it is in place.
        #expect(run.said == [])
        timer = try inEachTurn(run) { turn in
          if turn == 1 {
            isJudged = run.daemon.loader.isLoading
            run.daemon.feed(.button(policy: "p10", key: "k", button: "b"))
            run.daemon.feed(.button(policy: "p39", key: "k", button: "b"))
          }
          return false
        }
      },
      run.until("reload loaded"),
      .act {
        #expect(isJudged)
        #expect(run.said.filter { $0.hasPrefix("action") } == ["action p10 1 1", "action p39 1 1"])
        #expect(run.count("p10.v=2 reload") == 1 && run.count("p39.v=2 reload") == 1)
        // What the old version counted meanwhile is the new one's.
        run.daemon.feed(.button(policy: "p10", key: "k", button: "b"))
        #expect(run.has("action p10 2 2"))
      },
    ])
    timer?.disarm()
  }

  @Test func `an edit during a load comes after it, and is not lost`() throws {
    let run = try EditedRun(Self.all(1))
    try run.play([
      run.until("ready"),
      .act {
        for (name, text) in Self.all(2) { try run.folder.replace("p/\(name).lua", text) }
        run.daemon.hangUp()
        #expect(run.daemon.loader.isLoading)
        try run.folder.replace("p/p20.lua", Self.slow(3))
        run.daemon.hangUp()
        run.daemon.hangUp()
      },
      run.until("p20.v=3 reload"),
    ])
    #expect(run.count("p20.v=2") == 1 && run.count("p21.v=2") == 1)
  }

  @Test func `an edit during the load at the start is not lost`() throws {
    let run = try EditedRun(Self.all(1))
    let timer = try inEachTurn(run) { _ in
      #expect(run.daemon.loader.isLoading)
      try? run.folder.replace("p/p20.lua", Self.slow(2))
      run.daemon.hangUp()
      return false
    }
    try run.play([run.until("p20.v=1 start"), run.until("p20.v=2 reload")])
    timer.disarm()
  }

  @Test func `a policy's own test leaves the loop its turn, too`() throws {
    let tests = Dictionary(uniqueKeysWithValues: (1...4).map { ("t\($0)_test", "") })
    let policies = Dictionary(
      uniqueKeysWithValues: (1...4).map { ("t\($0)", "return { api = 1 }") })
    let run = try EditedRun(policies.merging(tests) { $1 }) { _, _ in
      usleep(60_000)
      return nil
    }
    var turns = 0
    var timer: LoopTimer?
    try run.play([
      run.until("ready"),
      .act {
        for name in policies.keys {
          try run.folder.replace("p/\(name).lua", "return { api = 1, settle = '2s' }")
        }
        run.daemon.hangUp()
        timer = try inEachTurn(run) { _ in
          if run.has("reload loaded") { return false }
          turns += 1
          return true
        }
      },
      run.until("reload loaded: t1, t2, t3, t4"),
    ])
    #expect(turns >= 3)
    timer?.disarm()
  }

  @Test func `who asks for a reload over the socket waits until all is in place`() throws {
    let run = try EditedRun(Self.all(1), control: true)
    let answers = Mailbox()
    try run.play([
      run.until("ready"),
      .act {
        for (name, text) in Self.all(2) { try run.folder.replace("p/\(name).lua", text) }
        try run.folder.replace("p/p11.lua", "return {")
        let path = run.folder.at("run/control")
        for number in 1...2 {
          Thread {
            answers.add((try? RawClient.ask(path, "POST", "/v1/reload")) ?? "\(number): none")
          }.start()
        }
      },
      .poll("both answers") { answers.all.count == 2 },
      .act {
        let first = answers.all.filter { $0.contains("loaded: p10, p12") }
        #expect(first.count == 1 && first[0].statusLine.contains(" 422 "), "\(answers.all)")
        #expect(answers.all.contains { $0.contains("nothing changed; still not taken: p11") })
        #expect(run.count("p39.v=2 reload") == 1)
      },
    ])
  }

  @Test func `who waits for a reload when the run ends is told so, and who left harms nobody`()
    throws
  {
    let run = try EditedRun(Self.all(1), control: true)
    let answers = Mailbox()
    var impatient: RawClient?
    try run.play([
      run.until("ready"),
      .act {
        for (name, text) in Self.all(2) { try run.folder.replace("p/\(name).lua", text) }
        let path = run.folder.at("run/control")
        impatient = try RawClient(path)
        impatient?.send("POST /v1/reload HTTP/1.1\r\nHost: x\r\n\r\n")
        Thread { answers.add((try? RawClient.ask(path, "POST", "/v1/reload")) ?? "none") }.start()
      },
      .poll("a load") { run.daemon.loader.isLoading },
      .act { impatient = nil },
      .poll("both wait") { run.daemon.control?.waiting == 2 },
    ])
    #expect(run.daemon.control == nil || run.daemon.control?.waiting == 0)
    for _ in 1...500 where answers.all.isEmpty { usleep(10_000) }
    #expect(answers.all.first?.statusLine.contains(" 409 ") == true, "\(answers.all)")
  }
}

/// What threads bring. Guarded by its own lock.
private final class Mailbox: @unchecked Sendable {
  private let lock = NSLock()
  private var letters: [String] = []

  func add(_ letter: String) { lock.withLock { letters.append(letter) } }
  var all: [String] { lock.withLock { letters } }
}
