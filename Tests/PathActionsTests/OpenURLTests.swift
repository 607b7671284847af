import Foundation
import PathActions
import PathCore
import Testing

extension ActionTests {
  /// Pages: which browser, when not, and that it lives its own life.
  @Suite struct OpenURLTests {
    static let grants = Grants(openURL: [.host("example.com"), .below("example.org")])

    /// Fake browsers, each of which writes its name and arguments to `log`.
    func rig(
      _ browsers: [String], then: String = "exit 0", _ grants: Grants = Self.grants,
      _ change: (inout ActionSettings) -> Void = { _ in }
    ) throws -> Rig {
      let rig = try Rig(grants) { settings in
        settings.browserPatience = .milliseconds(200)
        change(&settings)
      }
      for name in browsers {
        rig.folder.write(
          "bin/\(name)",
          """
          #!/bin/sh
          { echo "$$ ${0##*/} $#"; for a in "$@"; do echo "$a"; done; } >>\(rig.folder.at("log"))
          \(then)
          """)
      }
      return rig
    }

    func open(
      _ rig: Rig, _ url: String = "https://example.com/a?b=c#d", _ browsers: [String] = [],
      cooldown: Duration = .zero, key: String = "k"
    ) throws -> ActionResult {
      try rig.result(
        rig.start(
          .openURL(OpenURLRequest(url: url, browsers: browsers, cooldown: cooldown)), key: key))
    }

    @Test func `the first of the list that is installed gets the page as its one argument`() throws
    {
      let rig = try rig(["firefox-esr", "xdg-open", "opera"])
      let url = "https://www.example.org/a;b?c=$(id)&d='e'*"
      #expect(try open(rig, url, ["chrome", "firefox", "default"]).isOK)
      let log = rig.folder.lines("log")
      #expect(log[0].hasSuffix(" firefox-esr 1") && log[1...] == [url])
    }

    @Test func `a page's scheme and host are handed on in lower case`() throws {
      let rig = try rig(["xdg-open"])
      #expect(try open(rig, "HTTPS://Example.COM/Path?Query=A").isOK)
      #expect(rig.folder.lines("log")[1...] == ["https://example.com/Path?Query=A"])
    }

    @Test func `without a list it is the person's own browser`() throws {
      let rig = try rig(["firefox", "xdg-open"])
      #expect(try open(rig) == ActionResult(.succeeded, exitCode: 0))
      #expect(rig.folder.lines("log")[0].hasSuffix(" xdg-open 1"))
    }

    @Test func `a browser nobody knows, or nobody has, is refused`() throws {
      let rig = try rig(["opera"])
      #expect(try open(rig, "https://example.com/", ["firefx"]).error.contains("'firefox'?"))
      #expect(
        try open(rig, "https://example.com/", ["chrome", "brave"]).error
          == "none of these browsers is installed: chrome, brave; "
          + "'default' at the end stands for the person's own")
      #expect(try open(rig).error.contains("the package is xdg-utils"))
      #expect(
        try open(rig, "https://example.com/", ["../bin/opera"]).error.contains("no browser is"))
      #expect(rig.results.allSatisfy { $0.result.ending == .refused })
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a browser that others could change is refused`() throws {
      let rig = try rig(["xdg-open"])
      let program = rig.folder.at("bin/xdg-open")
      chown(program, 1000, 1000)
      let result = try open(rig)
      #expect(result.ending == .refused)
      #expect(
        result.error
          == "\(program) belongs to user 1000; it must be root's or yours: chown root \(program)")
      #expect(!rig.folder.exists("log"))
      chown(program, 0, 0)
      chmod(rig.folder.at("bin"), 0o777)
      #expect(try open(rig).error.hasPrefix("everybody may write into \(rig.folder.at("bin"));"))
      chmod(rig.folder.at("bin"), 0o755)
      #expect(try open(rig).isOK)
    }

    @Test func `after a browser that others could change the next of the list is tried`() throws {
      let rig = try rig(["firefox", "opera"])
      chmod(rig.folder.at("bin/firefox"), 0o757)
      let url = "https://example.com/"
      #expect(try open(rig, url, ["firefox", "opera"]).isOK)
      #expect(rig.folder.lines("log")[0].hasSuffix(" opera 1"))
      // With no other left it is told why, and what helps.
      let result = try open(rig, url, ["firefox", "brave"])
      #expect(result.ending == .refused)
      #expect(
        result.error.hasSuffix("take that away with: chmod o-w \(rig.folder.at("bin/firefox"))"))
    }

    @Test func `without a screen nothing is opened`() throws {
      for environment in [[:], ["DISPLAY": ""], ["WAYLAND_DISPLAY": "", "DISPLAY": ""]] {
        let rig = try rig(["xdg-open"]) { $0.environment = environment }
        let result = try open(rig)
        #expect(result.ending == .refused && result.error.contains("no graphical session"))
        #expect(!rig.folder.exists("log"))
      }
      let rig = try rig(["xdg-open"]) { $0.environment = ["WAYLAND_DISPLAY": "wayland-0"] }
      #expect(try open(rig).isOK)
    }

    @Test(arguments: [
      ("javascript:alert(1)", "begins with \"javascript\""), ("file:///etc/passwd", "\"file\""),
      ("https://user@example.com/", "user name"), ("https://example.com@evil.net/", "user name"),
      ("https://evil.net/", "the host evil.net is not granted"), ("$(id)", "begins with"),
      ("https://example.org/", "the host example.org is not granted"),
      ("https://example.com/?a=\"; touch MARKER #", "write %22"),
      ("https://example.com/ --x", "write %20"), ("--version", "begins with"),
    ]) func `a page that may not be opened is refused`(_ url: String, _ part: String) throws {
      let rig = try rig(["xdg-open"])
      let result = try open(rig, url)
      #expect(result.ending == .refused)
      #expect(result.error.contains(part), "\(result.error)")
      #expect(!rig.folder.exists("log"))
    }

    @Test func `nothing is granted by default`() throws {
      let rig = try rig(["xdg-open"], Grants())
      #expect(try open(rig).error.contains("under grants.open_url"))
    }

    @Test func `within the cooldown a key's page is not opened again`() throws {
      let rig = try rig(["xdg-open"])
      #expect(try open(rig, cooldown: .seconds(60)).isOK)
      let again = try open(rig, cooldown: .seconds(60))
      #expect(again.ending == .refused)
      #expect(again.error == "a page was opened a moment ago; the cooldown ends in 1m")
      #expect(try open(rig, cooldown: .seconds(60), key: "other").isOK)
      #expect(try open(rig, cooldown: .zero).isOK)
      let end = rig.loop.awakeTime + .milliseconds(60)
      try rig.wait { rig.loop.awakeTime > end }
      #expect(try open(rig, cooldown: .milliseconds(50)).isOK)
    }

    @Test func `what could not be opened starts no cooldown`() throws {
      let rig = try rig([])
      #expect(try open(rig, cooldown: .seconds(60)).ending == .refused)
      rig.folder.write("bin/xdg-open", "#!/bin/sh\n")
      #expect(try open(rig, cooldown: .seconds(60)).isOK)
    }

    @Test func `a browser that fails at once is told`() throws {
      let rig = try rig(["xdg-open"], then: "exit 3")
      let result = try open(rig)
      #expect(result.ending == .failed && result.exitCode == 3)
      #expect(result.error.hasSuffix("/bin/xdg-open ended with exit code 3: it found no browser"))
    }

    /// X-02.
    @Test func `a browser that goes on counts as open, survives the end, and is reaped`() throws {
      let before = childDescriptors()
      let rig = try rig(["xdg-open"], then: "exec sleep 300")
      let (result, took) = try rig.timed {
        rig.start(.openURL(OpenURLRequest(url: "https://example.com/")))
      }
      #expect(result == ActionResult(.succeeded) && took < .seconds(5))
      #expect(rig.runner.runningCount == 0)
      let pid = try #require(
        rig.folder.lines("log").first?.split(separator: " ").first.flatMap { Int32($0) })
      #expect(getsid(pid) == pid)
      var isDone = false
      rig.runner.stopAll { isDone = true }
      try rig.wait { isDone }
      #expect(runs(pid))
      kill(pid, SIGKILL)
      try rig.wait("the reaping") { !exists(pid) && childDescriptors() == before }
    }

    @Test func `ten pages leave no zombie`() throws {
      let rig = try rig(["xdg-open"], then: "sleep 300 & echo $! >>\"$0.pids\"; exit 0")
      let pages = (0..<10).map { index in
        rig.start(.openURL(OpenURLRequest(url: "https://example.com/")), key: "k\(index)")
      }
      for page in pages { #expect(try rig.result(page).isOK) }
      for line in rig.folder.lines("log") where line.contains("xdg-open") {
        #expect(!exists(Int32(line.split(separator: " ")[0])!))
      }
      for line in rig.folder.lines("bin/xdg-open.pids") { kill(Int32(line)!, SIGKILL) }
    }

    /// X-04.
    @Test func `a browser inherits its screen, and nothing else`() throws {
      let rig = try rig(
        ["xdg-open"], then: "env >\"$0.env\"; ls -l /proc/self/fd | sed -n 's/.*-> //p' >\"$0.fds\""
      )
      #expect(try open(rig).isOK)
      let names = Set(rig.folder.lines("bin/xdg-open.env").map { $0.prefix { $0 != "=" } })
      #expect(names.isSuperset(of: ["DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "HOME"]))
      #expect(names.isDisjoint(with: ["SECRET", "NETVANE_OWN", "http_proxy"]))
      let fds = rig.folder.lines("bin/xdg-open.fds")
      #expect(fds.filter { $0 == "/dev/null" }.count == 2)
      #expect(fds.allSatisfy { !$0.contains("pidfd") && !$0.contains("socket") })
    }
  }
}
