import Foundation
import Glibc
import PolicyTesting
import Testing

@testable import netvane

extension KernelTests {
  /// What becomes of what the program has to say where it cannot be written.
  @Suite struct Output {}
}

/// Where nothing more can be written.
private enum Sink: String, CaseIterable {
  /// A device that is always full, full(4).
  case fullDevice
  /// A file on a disk of 4 KB with room for one more byte.
  case fullDisk
  /// A pipe whose reader is gone.
  case closedPipe

  var reason: String { self == .closedPipe ? "Broken pipe" : "No space left on device" }

  /// Whoever gets it closes it.
  func open(_ disk: Disk) throws -> Int32 {
    switch self {
    case .fullDevice: return Glibc.open("/dev/full", O_WRONLY | O_CLOEXEC)
    case .fullDisk:
      let path = try disk.fill("output", spare: 1)
      return Glibc.open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    case .closedPipe:
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      close(ends[0])
      _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
      return ends[1]
    }
  }
}

/// A file system of one page.
private final class Disk {
  let path: String
  private static let bytes = 4096

  init(_ site: Site) throws {
    path = site.folder + "/disk"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try #require(mount("tmpfs", path, "tmpfs", 0, "size=4k") == 0)
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  /// Fills it with a file, but for so many bytes.
  @discardableResult
  func fill(_ name: String, spare: Int = 0) throws -> String {
    let file = path + "/" + name
    try Data(count: Self.bytes - spare).write(to: URL(fileURLWithPath: file))
    return file
  }
}

extension KernelTests.Output {
  private static let policy = """
    local p = { api = 1, description = "Shows a banner.", settle = "0s" }
    local function raise(ctx)
      ctx.alert.raise { key = "k", title = "Ready", buttons = { { id = "go", label = "Go on" } } }
    end
    function p.on_start(ctx) raise(ctx) end
    function p.on_dismissed(ctx) raise(ctx) end
    function p.on_button(ctx, ev) ctx.publish("pressed", ev.button) end
    return p
    """

  private static let test = """
    local t = require "policy.test"
    t.case("it is ready", function(sim)
      sim.network { eth0 = { type = "wired", address = "192.0.2.10/24", gateway = "192.0.2.1" } }
      sim.expect { alerts = { { key = "k" } } }
    end)
    """

  /// Command lines of each command. What `new` and `api` write goes into `fresh`.
  private func lines(_ site: Site, _ control: String, fresh: String) -> [Command: [[String]]] {
    let (dir, config) = (site.policies, ["--config", site.config])
    let ask = ["--control", control]
    let run = ["run", dir, "--state", "none"] + config
    return [
      .run: [run, run + ["--json"]],
      .status: [
        ["status"] + ask, ["status", "--json"] + ask, ["status"] + config,
        ["status", "--json", "--interface", "eth0"],
      ],
      .explain: [["explain"] + config, ["explain", "--json"] + config],
      .alerts: [["alerts"] + ask, ["alerts", "--json"] + ask],
      .press: [["press", "k", "go"] + ask, ["press", "banner/k", "go", "--json"] + ask],
      .dismiss: [["dismiss", "k"] + ask, ["dismiss", "banner/k", "--json"] + ask],
      .reload: [["reload"] + ask, ["reload", "--json"] + ask],
      .check: [["check", dir], ["check", dir, "--json"]],
      .new: [["new", "fresh", fresh]],
      .api: [["api"], ["api", fresh + "-api"]],
      .test: TestFormat.allCases.map { ["test", dir, "--format", $0.rawValue] }
        + ["list", "coverage", "bench", "mutate", "watch"].map { ["test", dir, "--\($0)"] },
      .help: [["help"], ["--help"], ["--version"]]
        + Command.allCases.flatMap { [["help", $0.rawValue], [$0.rawValue, "--help"]] },
    ]
  }

  @Test func `a command that cannot write its answer says so, and exits as no answer does`() throws
  {
    let site = try Site()
    try site.write("banner", Self.policy)
    try site.write("banner_test", Self.test)
    let (disk, control) = (try Disk(site), site.folder + "/control")
    let daemon = try site.run("--control", control)
    _ = try daemon.event("path")
    for sink in Sink.allCases {
      let lines = lines(site, control, fresh: site.folder + "/" + sink.rawValue)
      // A command that nobody wrote a line for is one that nobody tried.
      #expect(Set(lines.keys) == Set(commandTable.map(\.command)))
      for words in lines.values.joined() {
        let output = try sink.open(disk)
        defer { close(output) }
        let isApart = words.first == "run" ? ["--control", "none"] : []
        let program = try Program(words + isApart, output: output)
        let code = try program.exit(seconds: 20)
        let told = "netvane: standard output cannot be written: \(sink.reason)\n"
        #expect(code == Console.unwritable, "\(words), \(sink): \(program.errors)")
        #expect(program.errors.contains(told), "\(words), \(sink): \(program.errors)")
      }
    }
    try daemon.end()
  }

  @Test func `a reader that has had enough is left in peace, but not told that all is well`() throws
  {
    // What it prints is more than such a pipe holds.
    let program = try Program(["api"], room: 4096)
    #expect(program.next { _ in true } != nil)
    program.closeOutput()
    #expect(try program.exit(seconds: 10) == Console.unwritable)
    #expect(program.errors == "")
  }

  @Test func `a pipe that does not block and is read late gets a whole report`() throws {
    let site = try Site()
    try site.write("banner", Self.policy)
    try site.write(
      "banner_test",
      Self.test + "\nfor n = 1, 200 do t.case('case ' .. n, function() t.check(true) end) end\n")
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], 1031, 4096)  // F_SETPIPE_SZ
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let program = try Program(["test", site.policies, "--format", "junit"], output: ends[1])
    close(ends[1])
    var waiting = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 10_000) == 1)
    let text = String(
      decoding: FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readDataToEndOfFile(),
      as: UTF8.self)
    #expect(try program.exit(seconds: 10) == 0)
    #expect(text.utf8.count > 3 * 4096)
    #expect(text.hasSuffix("</testsuites>\n"))
  }

  @Test func `a file that does not fit on its disk is named, and half a policy is not kept`() throws
  {
    let site = try Site()
    try site.write("banner", Self.policy)
    try site.write("banner_test", Self.test)
    let disk = try Disk(site)
    try disk.fill("all")
    let lcov = disk.path + "/lines"
    for (words, file) in [
      (["test", site.policies, "--lcov", lcov], lcov),
      (["new", "fresh", disk.path], disk.path + "/fresh.lua"),
      (["api", disk.path], disk.path + "/"),
    ] {
      let program = try Program(words)
      #expect(try program.exit(seconds: 20) == 1, "\(words)")
      #expect(program.errors.contains(file), "\(words): \(program.errors)")
      #expect(program.errors.contains("cannot be written: No space left"), "\(program.errors)")
    }
    #expect(access(disk.path + "/fresh.lua", F_OK) != 0)
    let trace = disk.path + "/trace"
    let program = try site.run("--record", trace)
    let detail = try program.event("gap").text("detail")
    #expect(detail == "the recording ended: \(trace): No space left on device")
    try program.end()
  }

  @Test func `tests of a directory that is not there are an error, not a wait`() throws {
    let site = try Site()
    for place in ["\(site.folder)/nowhere", site.config] {
      let program = try Program(["test", "--watch", place])
      #expect(try program.exit(seconds: 10) == 2)
      #expect(program.errors.contains(place), "\(program.errors)")
    }
  }

  @Test func `a daemon that is named and does not answer is an error, not the kernel's word`()
    throws
  {
    let site = try Site()
    let nowhere = "\(site.folder)/nobody"
    for words in [["status"], ["status", "--json"]] {
      let dead = try Program(words + ["--control", nowhere])
      #expect(try dead.exit(seconds: 10) == 2)
      #expect(dead.lines == [])
      #expect(dead.errors.contains("no daemon answers") && dead.errors.contains(nowhere))
      #expect(dead.errors.contains("netvane run"))
    }
    // Without a name it is a question about the network.
    let status = try Program.run("status")
    #expect(status.code == 0)
    #expect(status.lines.last == "(no daemon answers; is `netvane run` running?)")
  }

  @Test func `an interface that does not exist is named, and never a verdict`() throws {
    let site = try Site()
    try site.lab.ip("link add plug type bridge\nlink property add dev eth0 altname uplink")
    for command in ["status", "explain"] {
      for name in ["eth7", "wlan*", "eht0"] {
        let program = try Program.run(command, "--interface", name)
        #expect(program.code == 2 && program.lines == [], "\(command) \(name): \(program)")
        #expect(program.errors.contains("no interface “\(name)”"), "\(program.errors)")
      }
      #expect(try Program.run(command, "--interface", "eht0").errors.contains("mean eth0?"))
      #expect(try Program.run(command, "--interface", "wlan*").errors.contains("eth0, lo, plug"))
      for name in ["eth0", "eth*", "uplink"] {
        #expect(try Program.run(command, "--interface", name).code == 0, "\(command) \(name)")
      }
      // It is there and carries nothing, which is an answer.
      #expect(try Program.run(command, "--interface", "plug").code == 1)
    }
  }
}
