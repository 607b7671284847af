import Foundation
import Glibc
import PathCore
import PathStore
import PathTestKit
import Testing

extension KernelTests {
  /// What outlives the program: on the real kernel, with the real file.
  @Suite struct Memory {}
}

extension KernelTests.Memory {
  /// Counts its handlers: the alert is up exactly while the count is odd, with the count in it.
  private static let counter = """
    local p = { api = 1, settle = "0s", state = { n = 0 } }
    function p.on_path(ctx, ev)
      local n = ctx.state.n + 1
      ctx.state.n = n
      if n % 2 == 1 then
        ctx.alert.raise { key = "odd", title = "odd", body = tostring(n) }
      else
        ctx.alert.resolve "odd"
      end
      ctx.timer.start("timer " .. n % 3, "1h")
    end
    return p
    """

  private func site() throws -> Site {
    let site = try Site(policies: ["offline-popup", "reconnect-banner"])
    try site.write("counter", Self.counter)
    try site.configure(
      #"""
      policies = {
        ["offline-popup"] = { grace = "30ms" },
        ["reconnect-banner"] = {
          grace = "30ms", calm = "20ms", shown = "80ms", restless = 100000,
        },
      },
      """#)
    return site
  }

  private func state(_ site: Site) -> String { "\(site.folder)/state" }

  /// What is stored, once nobody has it open.
  private func stored(_ site: Site) throws -> [String: PolicyMemory] {
    let opening = PolicyStore.open(
      directory: state(site), bootID: BootID.read(), at: Moment(awake: .zero, boot: .zero))
    guard case .opened(let store) = opening else {
      throw Lab.Failure(description: "the store is not as it should be: \(opening)")
    }
    defer { store.close() }
    let stored = store.recall(at: Moment(awake: .zero, boot: .zero))
    #expect(stored.damaged == [])
    return stored.memories
  }

  @Test func `killed a hundred times under a flapping network, it loses and doubles no alert`()
    throws
  {
    let seed = UInt64.random(in: 1...999_999)
    var random = SplitMix64(seed: seed)
    let site = try site()
    var witness = Witness()
    for life in 1...101 {
      let program = try site.run("--state", state(site))
      let end = Date(timeIntervalSinceNow: Double(Int.random(in: 0...180, using: &random)) / 1000)
      var isUp = true
      while end.timeIntervalSinceNow > 0 {
        isUp.toggle()
        try site.lab.setCarrier("eth0", isUp)
        poll(nil, 0, Int32(Int.random(in: 0...40, using: &random)))
      }
      // Half of the kills go where it matters most: a path is told, what it led to is being kept.
      if life % 2 == 0 {
        program.passBy()
        try site.lab.setCarrier("eth0", !isUp)
        _ = program.next(seconds: 0.1) { $0.contains("\"counter\"") }
      }
      if life == 101 { _ = try program.event("path") { $0.text("policy") == "counter" } }
      program.send(life == 101 ? SIGTERM : SIGKILL)
      let code = try program.exit(seconds: 5)
      #expect(code == (life == 101 ? 0 : 128 + SIGKILL), "seed \(seed)")
      #expect(program.errors == "", "seed \(seed)")
      witness.hear(program.lines, then: try stored(site))
      #expect(witness.complaints == [], "seed \(seed), life \(life)")
      if !witness.complaints.isEmpty { break }
    }
    #expect(witness.count > 100, "seed \(seed): the network hardly flapped")
    #expect(witness.restored > 20, "seed \(seed)")
    print("kill test, seed \(seed): \(witness)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: state(site)).sorted()
        .allSatisfy { $0.hasPrefix("netvane.db") || $0 == "netvane.lock" })
  }

  @Test func `a second instance on the same state is turned away and disturbs nothing`() throws {
    let site = try site()
    let first = try site.run("--state", state(site))
    _ = try first.event("path")
    let second = try site.run("--state", state(site))
    #expect(try second.exit(seconds: 10) == 2)
    #expect(second.lines == [])
    #expect(second.errors.contains("is in use by another netvane (process \(first.process))"))
    #expect(second.errors.contains("--state"))
    try site.lab.setCarrier("eth0", false)
    _ = try first.event("alert") { $0.text("policy") == "offline-popup" }
    try first.end()
    #expect(try stored(site)["offline-popup"]?.alerts.keys.sorted() == ["offline"])
    let third = try site.run("--state", "none")
    _ = try third.event("path") { $0.text("policy") == "counter" }
    try third.end()
  }

  @Test func `a corrupt file is set aside by name, and policies start without it`() throws {
    let site = try site()
    try FileManager.default.createDirectory(
      atPath: state(site), withIntermediateDirectories: true)
    try String(repeating: "no database ", count: 1000).write(
      toFile: "\(state(site))/netvane.db", atomically: false, encoding: .utf8)
    let program = try site.run("--state", state(site))
    let detail = try program.event("gap").text("detail")
    #expect(detail.contains("netvane.db") && detail.contains("damaged"), "\(detail)")
    let kept = try FileManager.default.contentsOfDirectory(atPath: state(site))
      .filter { $0.contains("broken") }
    #expect(kept.count == 1 && detail.contains(kept.first ?? "-"), "\(kept): \(detail)")
    _ = try program.event("path") { $0.text("policy") == "counter" }
    try program.end()
    #expect(try stored(site)["counter"]?.alerts["odd"]?.content.body == "1")
  }

  @Test func `a disk that fills up is told of once, and everything goes on in memory`() throws {
    let site = try site()
    try FileManager.default.createDirectory(
      atPath: state(site), withIntermediateDirectories: true)
    try #require(mount("tmpfs", state(site), "tmpfs", 0, "size=400k,mode=700") == 0)
    defer { umount2(state(site), Int32(MNT_DETACH)) }
    try site.write(
      "big",
      """
      return { api = 1, settle = "0s", on_path = function(ctx, ev)
        ctx.state.text = ("x"):rep(30000) .. ev.sequence
      end }
      """)
    let program = try site.run("--state", state(site))
    _ = try program.event("path") { $0.text("policy") == "counter" }
    let filling = "\(state(site))/filling"
    let size = 400_000
    _ = try? Data(count: size).write(to: URL(filePath: filling))
    for piece in [65_536, 4096, 512] {
      if let handle = FileHandle(forWritingAtPath: filling) {
        handle.seekToEndOfFile()
        while (try? handle.write(contentsOf: Data(count: piece))) != nil {}
      }
    }
    var isUp = true
    for _ in 0..<6 {
      isUp.toggle()
      try site.lab.setCarrier("eth0", isUp)
      let wanted = isUp ? "satisfied" : "unsatisfied"
      _ = try program.event("path") {
        $0.text("policy") == "counter" && $0.text("status") == wanted
      }
    }
    _ = try program.event("alert") { $0.text("policy") == "counter" && $0.text("body") == "7" }
    try program.end()
    let gaps = program.lines.compactMap { Report($0) }.filter { $0.kind == "gap" }
    #expect(gaps.count == 1, "\(gaps.map { $0.text("detail") })")
    let detail = gaps.first?.text("detail") ?? ""
    #expect(detail.contains("full") && detail.contains("in memory"), "\(detail)")
  }

  @Test func `after a reboot it says so, and timers run on by the clock on the wall`() throws {
    let site = try site()
    try site.write(
      "reboot",
      """
      local p = { api = 1 }
      function p.on_start(ctx, ev)
        ctx.publish("reason", ev.reason)
        if ev.reason == "start" then
          ctx.timer.start("gone", "1m")
          ctx.timer.start("due", "1m", { across_reboot = true })
          ctx.timer.start("later", "300d")
        end
        ctx.publish("left", (ctx.timer.active "gone" and "gone " or "")
          .. (ctx.timer.active "due" and "due " or "")
          .. (ctx.timer.active "later" and "later" or ""))
      end
      function p.on_timer(ctx, ev) ctx.publish("fired", ev.name) end
      return p
      """)
    let first = try site.run("--state", state(site))
    _ = try first.event("publish") { $0.text("name") == "reason" && $0.text("value") == "start" }
    _ = try first.event("path") { $0.text("policy") == "reboot" }
    first.send(SIGKILL)
    _ = try first.exit(seconds: 5)
    try rewrite(site, secondsAgo: 600)
    let second = try site.run("--state", state(site))
    _ = try second.event("publish") { $0.text("name") == "reason" && $0.text("value") == "boot" }
    let left = try second.event("publish") { $0.text("name") == "left" }
    #expect(left.text("value") == "due later")
    _ = try second.event("path") { $0.text("policy") == "reboot" }
    #expect(
      try second.event("publish") { $0.text("name") == "fired" }.text("value") == "due")
    try second.end()
    #expect(try stored(site)["reboot"]?.timers.keys.sorted() == ["later"])
    let third = try site.run("--state", state(site))
    _ = try third.event("publish") { $0.text("name") == "reason" && $0.text("value") == "start" }
    try third.end()
  }

  /// Makes what is stored that of another boot, as it was written so many seconds ago.
  private func rewrite(_ site: Site, secondsAgo: Int64) throws {
    let memories = try stored(site)
    try FileManager.default.removeItem(atPath: state(site))
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    let boot = Duration.seconds(Int64(time.tv_sec))
    clock_gettime(CLOCK_REALTIME, &time)
    let wall = WallTime(unixNanoseconds: (Int64(time.tv_sec) - secondsAgo) * 1_000_000_000)
    let moment = Moment(awake: boot, boot: boot, wall: wall)
    let opening = PolicyStore.open(directory: state(site), bootID: "earlier", at: moment)
    guard case .opened(let store) = opening else {
      throw Lab.Failure(description: "\(opening)")
    }
    #expect(store.write(StoreBatch(memories: memories), at: moment) == [])
    store.close()
  }

  @Test func `a dry run and --state none leave no file`() throws {
    let site = try site()
    for flags in [["--dry-run"], []] {
      let words = ["run", "--json", site.policies, "--config", site.config] + flags
      let program = try Program(
        words + (flags.isEmpty ? ["--state", "none"] : []),
        environment: ["STATE_DIRECTORY": state(site)])
      _ = try program.event("path")
      try program.end()
      #expect(!FileManager.default.fileExists(atPath: state(site)))
    }
    let kept = try Program(
      ["run", "--json", site.policies, "--config", site.config],
      environment: ["STATE_DIRECTORY": state(site)])
    _ = try kept.event("path")
    try kept.end()
    #expect(FileManager.default.fileExists(atPath: "\(state(site))/netvane.db"))
  }
}
