import Foundation
import PathActions
import PathCore
import Testing

extension ActionTests {
  /// Commands: how they are started, and every way they end.
  @Suite struct ExecTests {
    @Test func `a command that ends well is a success with its output`() throws {
      let rig = try Rig(script: "echo out; echo err >&2")
      let result = try rig.result(rig.exec())
      #expect(result == ActionResult(.succeeded, exitCode: 0, output: Array("out\nerr\n".utf8)))
      #expect(rig.runner.runningCount == 0)
    }

    @Test func `an exit code is told, with what the command said last`() throws {
      let rig = try Rig(script: "echo working; echo 'no\u{1B}[2J server'; echo; exit 3")
      let result = try rig.result(rig.exec())
      #expect(result.ending == .failed)
      #expect(result.exitCode == 3 && result.signal == nil)
      #expect(
        result.error == "the command it ended with exit code 3: no\\u{1b}[2J server")
    }

    @Test(arguments: [("SEGV", SIGSEGV), ("KILL", SIGKILL), ("TERM", SIGTERM)])
    func `a signal that ended the command is told by its name`(_ name: String, _ number: Int32)
      throws
    {
      let rig = try Rig(script: "kill -\(name) $$")
      let result = try rig.result(rig.exec())
      #expect(result.ending == .failed && result.signal == number && result.exitCode == nil)
      #expect(result.error == "the command it was ended by signal \(number) (SIG\(name))")
    }

    @Test func `what cannot be run is refused with the reason, and the next runs`() throws {
      let folder = Folder()
      folder.write("plain", "#!/bin/sh\n", mode: 0o644)
      folder.write("open", "#!/bin/sh\n", mode: 0o777)
      folder.write("lost", "#!/no/such/interpreter\n")
      folder.write("garbage", "what is this")
      let cases = [
        ("missing", "there is no \(folder.at("missing"))"), ("bin", "a directory or device"),
        ("plain/x", "there is no"), ("plain", "no permission to run"),
        ("open", "everybody may write"), ("lost", "needs an interpreter"),
        ("garbage", "is no program; a script begins with"),
      ]
      var commands = ["fine": ["/bin/true"]]
      for (name, _) in cases { commands[name] = [folder.at(name)] }
      let rig = try Rig(Grants(commands: commands))
      for (name, part) in cases {
        let result = try rig.result(rig.exec(command: name))
        #expect(result.ending == .refused)
        #expect(result.error.contains(part), "\(name): \(result.error)")
      }
      #expect(try rig.result(rig.exec(command: "fine")).isOK)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a granted program that others could change is refused, with the command that helps`()
      throws
    {
      let folder = Folder()
      let cases = ["his", "group", "loose/it", "hisdir/it", "link", "shared/it", "shared/his"]
      for name in ["loose", "hisdir", "shared"] { mkdir(folder.at(name), 0o755) }
      for name in cases where name != "link" { folder.write(name, "#!/bin/sh\n") }
      try #require(symlink("loose/it", folder.at("link")) == 0)
      chown(folder.at("his"), 1000, 1000)
      chown(folder.at("shared/his"), 1000, 1000)
      chown(folder.at("group"), 0, 1000)
      chmod(folder.at("group"), 0o775)
      chmod(folder.at("loose"), 0o777)
      chmod(folder.at("shared"), 0o1777)
      chown(folder.at("hisdir"), 1000, 1000)
      let commands = Dictionary(
        uniqueKeysWithValues: cases.map { ($0.replacing("/", with: "-"), [folder.at($0)]) })
      let rig = try Rig(Grants(commands: commands))
      func refusal(_ name: String) throws -> String {
        let result = try rig.result(rig.exec(command: name))
        return result.ending == .refused ? result.error : "\(result.ending)"
      }
      func owned(_ name: String) -> String {
        let path = folder.at(name)
        return "\(path) belongs to user 1000; it must be root's or yours: chown root \(path)"
      }
      let loose = folder.at("loose")
      let isLoose = "everybody may write into \(loose); take that away with: chmod o-w \(loose)"
      #expect(try refusal("his") == owned("his"))
      #expect(
        try refusal("group") == "group 1000 may write \(folder.at("group")); "
          + "take that away with: chmod g-w \(folder.at("group"))")
      #expect(try refusal("loose-it") == isLoose)
      #expect(try refusal("link") == isLoose)
      #expect(try refusal("hisdir-it") == owned("hisdir"))
      #expect(try refusal("shared-his") == owned("shared/his"))
      #expect(try refusal("shared-it") == "succeeded")
    }

    @Test func `a command that is not granted, or asks for too much, is refused`() throws {
      let rig = try Rig(Grants(commands: ["sync-stop": ["/bin/true"]]))
      func refusal(_ request: ExecRequest) throws -> String {
        let result = try rig.result(rig.start(.exec(request)))
        return result.ending == .refused ? result.error : "begun"
      }
      #expect(try refusal(.init(command: "sync-stpo")).contains("did you mean 'sync-stop'?"))
      #expect(try refusal(.init(command: "/bin/true")).contains("under grants.exec"))
      #expect(
        try refusal(.init(command: "sync-stop", arguments: Array(repeating: "a", count: 65)))
          == "65 arguments; 64 is the most")
      #expect(
        try refusal(
          .init(command: "sync-stop", arguments: [String(repeating: "a", count: 32_769)])
        ).contains("more than 32768 bytes"))
      #expect(
        try refusal(.init(command: "sync-stop", arguments: ["a", "b\0c"]))
          == "argument 2 holds a zero byte, which no argument can")
      #expect(
        try refusal(.init(command: "sync-stop", timeout: .zero))
          == "a timeout of 0s; it may be 1ms to 1h")
    }

    /// X-03.
    @Test func `arguments arrive as they are, each as one`() throws {
      let rig = try Rig(Grants(commands: ["show": ["/usr/bin/printf", "<%s>"]]))
      let arguments = [
        "a b", "x\ny", "\"q'", "$(id)", "`id`", "", "; touch \(rig.folder.at("marker"))", "*", "é",
        "--help", "\\n",
      ]
      let result = try rig.result(rig.exec(arguments, command: "show"))
      #expect(result.text == arguments.map { "<\($0)>" }.joined())
      #expect(!rig.folder.exists("marker"))
    }

    @Test func `a command that takes too long is asked to end`() throws {
      let rig = try Rig(script: "trap 'echo bye; exit 7' TERM; while :; do sleep 0.01; done")
      let (result, took) = try rig.timed { rig.exec(timeout: .milliseconds(150)) }
      #expect(result.ending == .failed && result.exitCode == 7 && result.text.hasSuffix("bye\n"))
      #expect(result.error == "the command it took longer than 150ms and was ended")
      #expect(took >= .milliseconds(150))
    }

    @Test func `one that does not listen is ended with all it started, when the grace is over`()
      throws
    {
      let rig = try Rig(script: "trap '' TERM; sleep 300 & echo $$ $!; wait; sleep 300")
      let (result, took) = try rig.timed { rig.exec(timeout: .milliseconds(300)) }
      #expect(result.ending == .failed && result.signal == SIGKILL)
      #expect(took >= .milliseconds(600) && took < .seconds(5))
      let pids = result.text.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
      #expect(pids.count == 2)
      for pid in pids { try rig.wait("the end of \(pid)") { !runs(pid) } }
    }

    @Test func `a command that has stopped itself is ended too`() throws {
      let rig = try Rig(script: "kill -STOP $$")
      let result = try rig.result(rig.exec(timeout: .milliseconds(100)))
      #expect(result.signal == SIGTERM)
    }

    @Test func `what a command leaves behind hides neither its exit nor is it ended`() throws {
      let rig = try Rig(script: "sleep 300 & echo $!")
      let (result, took) = try rig.timed { rig.exec() }
      #expect(result.isOK && took < .seconds(5))
      let pid = try #require(Int32(result.lines[0]))
      #expect(runs(pid))
      kill(pid, SIGKILL)
    }

    @Test func `a flood from what a command leaves behind does not hold up its result`() throws {
      let rig = try Rig(script: "yes & echo $! >\"$1\"; exit 0")
      let (result, took) = try rig.timed { rig.exec([rig.folder.at("pid")]) }
      #expect(result.isOK && took < .seconds(5))
      // Its writes fail from now on, which ends it.
      let pid = try #require(Int32(rig.folder.lines("pid")[0]))
      try rig.wait("the end of the flood") { !runs(pid) }
    }

    @Test func `of much output the beginning is kept, and the command is not held up`() throws {
      let rig = try Rig(script: "head -c 1048576 /dev/zero; echo done >&2")
      let result = try rig.result(rig.exec())
      #expect(result.isOK && result.output.count == 16 * 1024 && result.isOutputCut)
    }

    @Test func `output of just the bound is not cut`() throws {
      let rig = try Rig(script: "head -c 16384 /dev/zero")
      let result = try rig.result(rig.exec())
      #expect(result.output.count == 16 * 1024 && !result.isOutputCut)
    }

    @Test func `a command that closes its output does not keep the loop busy`() throws {
      let rig = try Rig(script: "exec >&- 2>&-; sleep 0.4")
      #expect(try rig.result(rig.exec()).isOK)
      #expect(rig.turns < 100, "\(rig.turns) turns")
    }

    /// X-04, X-05.
    @Test func `a command begins with a clean slate`() throws {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      defer { for end in ends { close(end) } }
      var mask = sigset_t()
      sigemptyset(&mask)
      sigaddset(&mask, SIGUSR1)
      pthread_sigmask(SIG_BLOCK, &mask, nil)
      defer { pthread_sigmask(SIG_UNBLOCK, &mask, nil) }
      // What glibc keeps for itself (32 and 33) it cannot set to its default: posix_spawn(3) there.
      let script = """
        grep -E '^Sig(Blk|Ign)' /proc/self/status
        ls /proc/self/fd | tr '\\n' ' '; echo
        pwd; readlink /proc/$$/fd/0; cut -d' ' -f1,5 /proc/$$/stat
        """
      let rig = try Rig(script: script)
      let lines = try rig.result(rig.exec()).lines
      #expect(lines[0] == "SigBlk:\t0000000000000000")
      let ignored = try #require(UInt64(lines[1].suffix(16), radix: 16))
      #expect(ignored & ~(0b11 << 31) == 0, "\(lines[1])")
      // The last one is that with which ls looks.
      #expect(lines[2] == "0 1 2 3 ")
      #expect(lines[3...4] == ["/", "/dev/null"])
      let numbers = lines[5].split(separator: " ")
      #expect(numbers[0] == numbers[1], "it leads its process group")
    }

    /// X-09.
    @Test func `the environment is small, and facts are lines of it that cannot break`() throws {
      let rig = try Rig(Grants(commands: ["it": ["/usr/bin/env"]]))
      let id = rig.start(
        .exec(ExecRequest(command: "it")),
        facts: [
          "NETVANE_STATUS": "satisfied", "NETVANE_SSID": "caf\u{E9}\nPATH=/evil\0\u{2028}x",
          "PATH": "/evil", "LD_PRELOAD": "/evil", "NETVANE_": "x", "NETVANE_a b": "x",
        ])
      #expect(
        try rig.result(id).lines.sorted() == [
          "HOME=/root", "LANG=C.UTF-8", "LOGNAME=somebody",
          "NETVANE_SSID=caf\u{E9} PATH=/evil  x", "NETVANE_STATUS=satisfied",
          "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TZ=UTC",
          "USER=somebody", "XDG_RUNTIME_DIR=/run/user/1",
        ])
    }
  }
}
