import CLinux
import Foundation
import PathActions
import PathCore
import Testing

extension ActionTests {
  /// What holds for all actions: bounds, order, cancelling, the end.
  @Suite struct RunnerTests {
    @Test func `a result never comes from within start or cancel`() throws {
      let rig = try Rig(script: "sleep 300")
      let refused = rig.exec(command: "no")
      #expect(rig.results.isEmpty)
      let id = rig.exec()
      #expect(try rig.result(refused).ending == .refused)
      rig.runner.cancel(id)
      #expect(rig.results.count == 1)
      #expect(try rig.result(id).wasDropped)
    }

    @Test func `whoever gets a result may start the next at once`() throws {
      let rig = try Rig(script: "true")
      var left = 5
      rig.onResult = { _ in
        left -= 1
        if left > 0 { rig.exec() }
      }
      rig.exec()
      try rig.wait { rig.results.count == 5 }
      #expect(rig.results.allSatisfy { $0.result.isOK })
    }

    @Test func `cancel ends a command, is told once, and means nothing afterwards`() throws {
      let rig = try Rig(script: "echo $$; exec sleep 300")
      let id = rig.exec()
      try rig.wait("its start", within: .milliseconds(300)) { rig.turns > 3 }
      rig.runner.cancel(id)
      rig.runner.cancel(id)
      let result = try rig.result(id)
      #expect(result.ending == .dropped && result.error == "it was cancelled")
      #expect(result.signal == SIGTERM)
      rig.runner.cancel(id)
      rig.runner.cancel(ActionID(policy: "p", key: "none", serial: 99))
      #expect(rig.results.count == 1 && rig.runner.runningCount == 0)
    }

    @Test func `beyond the bound an action fails, so that a retry may try again`() throws {
      let rig = try Rig(script: "[ \"$1\" = wait ] && exec sleep 300; true") { $0.runningMost = 2 }
      let ids = [rig.exec(["wait"]), rig.exec(["wait"])]
      let third = try rig.result(rig.exec())
      #expect(third.ending == .failed)
      #expect(third.error == "2 actions are at work, which is the most; this one was not begun")
      rig.runner.cancel(ids[0])
      _ = try rig.result(ids[0])
      #expect(try rig.result(rig.exec()).isOK)
      rig.runner.cancel(ids[1])
      _ = try rig.result(ids[1])
    }

    @Test func `one name is at work once`() throws {
      let rig = try Rig(script: "sleep 300")
      let id = rig.exec()
      rig.runner.start(id, .exec(ExecRequest(command: "it")))
      #expect(try rig.result(id).error == "an action of this name is at work")
      rig.runner.stopAll {}
      try rig.wait { rig.results.count == 2 }
    }

    @Test func `the end asks everybody, waits for the grace and leaves nothing`() throws {
      let script =
        "echo $$ >>\(NSTemporaryDirectory())netvane-stop-$1; "
        + "[ $2 = deaf ] && trap '' TERM; sleep 300; sleep 300"
      let rig = try Rig(script: script)
      let name = UUID().uuidString
      let file = NSTemporaryDirectory() + "netvane-stop-\(name)"
      defer { unlink(file) }
      for kind in ["a", "deaf", "b"] { rig.exec([name, kind]) }
      func pids() -> [Int32] {
        ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n")
          .compactMap { Int32($0) }
      }
      try rig.wait("three pids") { pids().count == 3 }
      var isDone = 0
      let start = rig.loop.awakeTime
      rig.runner.stopAll { isDone += 1 }
      rig.runner.stopAll { isDone += 1 }
      try rig.wait { isDone > 0 }
      let took = rig.loop.awakeTime - start
      #expect(took >= .milliseconds(300) && took < .seconds(3) && isDone == 1)
      #expect(rig.results.count == 3)
      #expect(rig.results.allSatisfy { $0.result.error == "Netvane ends" && $0.result.wasDropped })
      for pid in pids() { #expect(!exists(pid)) }
      #expect(try rig.result(rig.exec()).error == "Netvane ends and begins nothing more")
    }

    @Test func `the end comes at once when nothing is at work`() throws {
      let rig = try Rig()
      var isDone = false
      rig.runner.stopAll { isDone = true }
      #expect(!isDone)
      try rig.wait(within: .seconds(1)) { isDone }
    }

    /// X-10.
    @Test func `hundreds of commands leave no zombie and no descriptor`() throws {
      let before = childDescriptors()
      let all = allDescriptors()
      let rig = try Rig(script: "echo $$; trap '' TERM; [ \"$1\" = late ] && sleep 300; exit 1")
      var left = 200
      func next() {
        guard left > 0 else { return }
        left -= 1
        rig.exec(left % 50 == 0 ? ["late"] : [], timeout: .milliseconds(left % 50 == 0 ? 50 : 9000))
      }
      rig.onResult = { _ in next() }
      for _ in 0..<16 { next() }
      try rig.wait("200 results", within: .seconds(60)) { rig.results.count == 200 }
      for (_, _, result) in rig.results {
        let pid = try #require(result.lines.first.flatMap { Int32($0) })
        #expect(!exists(pid))
      }
      #expect(childDescriptors() == before)
      // Other tests open and close some of their own meanwhile.
      try rig.wait("the descriptors of before") { allDescriptors() <= all + 8 }
    }

    /// X-10, of a container whose first process is Netvane.
    @Test func `children that nobody here started are reaped, and ours keep their results`() throws
    {
      let rig = try Rig(script: "exit 4")
      var child = clinux_child()
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
      #expect(clinux_spawn("/bin/true", &arguments, &arguments[1], 0, &child) == 0)
      free(arguments[0])
      let id = rig.exec()
      try rig.wait("the orphan's end") { !runs(child.pid) }
      try rig.wait("the result") {
        rig.runner.reapAll()
        return rig.results.contains { $0.id == id }
      }
      rig.runner.reapAll()
      #expect(!exists(child.pid))
      #expect(try rig.result(id).exitCode == 4)
      close(child.pidfd)
    }

    /// X-08.
    @Test func `a command that waits for another is no deadlock`() throws {
      let rig = try Rig(
        script: "if [ $1 = touch ]; then : >\"$2\"; fi; while [ ! -e \"$2\" ]; do sleep 0.01; done")
      let file = rig.folder.at("file")
      let waiter = rig.exec(["wait", file])
      let (result, took) = try rig.timed {
        rig.exec(["touch", file])
        return waiter
      }
      #expect(result.isOK && took < .seconds(2))
    }

    /// X-11.
    @Test func `what fails is told once, and what follows is not disturbed`() throws {
      let rig = try Rig(script: "case $1 in s) kill -SEGV $$;; *) exit $1;; esac")
      for argument in ["1", "126", "s", "0"] {
        let id = rig.exec([argument])
        #expect(try rig.result(id).isOK == (argument == "0"))
      }
      #expect(rig.results.count == 4)
    }

    @Test func `a dry run checks everything, does nothing, and says what it would do`() throws {
      let grants = Grants(
        commands: ["it": ["/usr/bin/touch", "/tmp/no file"]], openURL: [.host("example.com")],
        http: [.host("example.com")])
      let rig = try Rig(grants) { $0.isDryRun = true }
      rig.folder.write("bin/xdg-open", "#!/bin/sh\n: >\(rig.folder.at("opened"))\n")
      func said(_ action: Action) throws -> String {
        let result = try rig.result(rig.start(action))
        return "\(result.ending.rawValue): \(result.error)"
      }
      #expect(
        try said(.exec(ExecRequest(command: "it", arguments: ["x"])))
          == "dropped: dry run: would run /usr/bin/touch \"/tmp/no file\" x")
      #expect(try said(.exec(ExecRequest(command: "no"))).hasPrefix("refused: no command"))
      let page = OpenURLRequest(url: "https://example.com/", cooldown: .seconds(60))
      #expect(
        try said(.openURL(page))
          == "dropped: dry run: would open https://example.com/ with "
          + "\(rig.folder.at("bin/xdg-open"))")
      #expect(try said(.openURL(page)).hasPrefix("refused: a page was opened a moment ago"))
      #expect(
        try said(.http(HTTPRequest(url: "HTTPS://Example.COM/", method: .post, body: "secret")))
          == "dropped: dry run: would send POST https://example.com/ body 6 within 10s")
      #expect(
        try said(.http(HTTPRequest(url: "https://example.org/"))).contains("is not granted"))
      #expect(!rig.folder.exists("opened"))
      #expect(rig.runner.log(policy: "p", text: "t").state == .dropped)
    }
  }
}
