import Glibc
import PathCore
import PathPolicy
import PathTestKit
import Testing

/// Which files of a directory are policies, and what is said of those that cannot be.
struct PolicyDirectoryTests {
  let scratch = Scratch()

  func read() throws -> PolicyDirectory { try PolicyDirectory(reading: scratch.path) }

  func names() throws -> [String] { try read().scripts.map(\.name) }

  /// Why the only refused file was refused.
  func refusal() throws -> String? {
    let directory = try read()
    #expect(directory.scripts.isEmpty)
    #expect(directory.refused.count == 1)
    return directory.refused.first?.located
  }

  @Test func `editors' leftovers, tests, folders and hidden files are not policies`() throws {
    for name in [
      "a.lua", "a.lua~", ".a.lua.swp", ".#a.lua", "#a.lua#", "4913", "a.lua.dpkg-old", "a.lua.tmp",
      "a.lua.rpmsave", "b.LUA", "README", "sub/c.lua", ".lua", ".hidden.lua", "a_test.lua",
      "lib/d.lua", "lib/d_test.lua", "lib/.e.lua", "lua", "..lua",
    ] {
      scratch.write(name)
    }
    let directory = try read()
    #expect(directory.scripts.map(\.name) == ["a"])
    #expect(directory.scripts.first?.file == "a.lua")
    #expect(directory.refused == [])
    #expect(directory.scripts.first?.modules.map(\.name).contains("d") == true)
    #expect(directory.scripts.first?.modules.map(\.name).contains("e") == false)
  }

  @Test func `policies come in the order of their names`() throws {
    for name in ["b.lua", "a.lua", "10.lua", "9.lua", "B.lua", "a-b.lua", "a.b.lua"] {
      scratch.write(name)
    }
    #expect(try names() == ["10", "9", "B", "a", "a-b", "a.b", "b"].sorted())
  }

  @Test func `an empty directory is fine`() throws {
    let directory = try read()
    #expect(directory.scripts.isEmpty && directory.refused.isEmpty)
  }

  @Test func `links within the tree are followed, as a mounted configuration has them`() throws {
    scratch.write("..v1/a.lua", "return { api = 1, description = 'one' }")
    scratch.write("..v1/m.lua", "return 1")
    scratch.link("..data", to: "..v1")
    scratch.link("a.lua", to: "..data/a.lua")
    scratch.folder("lib")
    scratch.link("lib/m.lua", to: "../..data/m.lua")
    let before = try read()
    #expect(before.scripts.map(\.name) == ["a"])
    #expect(before.scripts.first?.modules.map(\.name) == ["m"])
    scratch.write("..v2/a.lua", "return { api = 1, description = 'two' }")
    scratch.write("..v2/m.lua", "return 2")
    scratch.link("..data_tmp", to: "..v2")
    scratch.rename("..data_tmp", to: "..data")
    let after = try read()
    #expect(after.refused == [])
    #expect(after.scripts.first?.source != before.scripts.first?.source)
    #expect(after.scripts.first?.modules != before.scripts.first?.modules)
  }

  @Test func `the directory itself may be a link`() throws {
    scratch.write("releases/1/a.lua")
    scratch.link("current", to: "releases/1")
    let directory = try PolicyDirectory(reading: scratch.at("current"))
    #expect(directory.scripts.map(\.name) == ["a"])
    #expect(try PolicyDirectory(reading: scratch.at("current") + "/").scripts.count == 1)
  }

  @Test func `a link may lead out, when nobody else could have a hand in where it leads`() throws {
    scratch.write("shipped/x.lua")
    scratch.write("shipped/x_test.lua")
    scratch.write("shipped/lib/m.lua", "return 1")
    scratch.folder("policies")
    scratch.link("policies/x.lua", to: "../shipped/x.lua")
    scratch.link("policies/x_test.lua", to: scratch.at("shipped/x_test.lua"))
    scratch.link("policies/lib", to: "../shipped/lib")
    func read() throws -> PolicyDirectory {
      try PolicyDirectory(reading: scratch.at("policies"), withTests: true)
    }
    let directory = try read()
    #expect(directory.scripts.map(\.name) == ["x"] && directory.refused == [])
    #expect(directory.scripts.first?.modules.map(\.name) == ["m"])
    #expect(directory.tests.map(\.file) == ["x_test.lua"])
    chmod(scratch.at("shipped"), 0o777)
    let refused = try read()
    let shipped = scratch.at("shipped")
    let why = "everybody may write into \(shipped); take that away with: chmod o-w \(shipped)"
    #expect(refused.scripts == [] && refused.tests == [])
    #expect(refused.refused.map(\.located) == ["lib: " + why, "x.lua: " + why])
    #expect(refused.refusedTests.map(\.located) == ["x_test.lua: " + why])
  }

  @Test(arguments: [
    ("/dev/zero", "it is a device, not a file"), ("nowhere", "no such file"), ("x.lua", "circle"),
    ("..", "it is a directory"), ("/etc/passwd/", "a part of the path is not a directory"),
  ]) func `a link to what is no policy is refused`(_ target: String, _ why: String) throws {
    scratch.link("x.lua", to: target)
    #expect(try refusal()?.contains(why) == true)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `policies, modules and tests of another user are refused, each by its name`() throws {
    for name in ["a.lua", "b.lua", "b_test.lua", "lib/m.lua", "lib/n.lua"] { scratch.write(name) }
    for name in ["a.lua", "b_test.lua", "lib/m.lua"] { chown(scratch.at(name), 1000, 1000) }
    let directory = try PolicyDirectory(reading: scratch.path, withTests: true)
    func why(_ name: String) -> String {
      "\(name): it belongs to user 1000; it must be root's or yours: chown root \(scratch.at(name))"
    }
    #expect(directory.scripts.map(\.name) == ["b"])
    #expect(directory.scripts.first?.modules.map(\.name) == ["n"])
    #expect(directory.refused.map(\.located) == ["lib/m.lua", "a.lua"].map(why))
    #expect(directory.refusedTests.map(\.located) == [why("b_test.lua")])
    chown(scratch.at("lib"), 1000, 1000)
    let lib = scratch.at("lib")
    #expect(
      try read().refused.first?.located == "lib: \(lib) belongs to user 1000; "
        + "it must be root's or yours: chown root \(lib)")
    chown(scratch.path, 1000, 1000)
    let error = #expect(throws: PolicyDirectory.Unreadable.self) { try read() }
    #expect(
      error?.message == "\(scratch.path): \(scratch.path) belongs to user 1000; "
        + "it must be root's or yours: chown root \(scratch.path)")
  }

  @Test func `a pipe and a directory are refused by what they are, without waiting`() throws {
    scratch.pipe("x.lua")
    #expect(try refusal() == "x.lua: it is a pipe, not a file")
    let other = Scratch()
    other.folder("y.lua")
    let refused = try PolicyDirectory(reading: other.path).refused
    #expect(refused.map(\.located) == ["y.lua: it is a directory"])
    #expect(refused.map(\.policy) == ["y"])
  }

  @Test func `a socket is refused`() throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: scratch.at("x.lua").utf8) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(bound == 0)
    #expect(try refusal() == "x.lua: it is not a regular file")
  }

  @Test func `what everybody may write is refused, file or directory`() throws {
    scratch.write("x.lua", mode: 0o646)
    #expect(
      try refusal()
        == "x.lua: everybody may write it; take that away with: chmod o-w \(scratch.at("x.lua"))")
    chmod(scratch.path, 0o777)
    #expect(throws: PolicyDirectory.Unreadable.self) { try read() }
    chmod(scratch.path, 0o700)
  }

  @Test func `a folder that everybody may write is refused, within the tree too`() throws {
    scratch.write("lib/m.lua", "return 1")
    scratch.write("a.lua")
    chmod(scratch.at("lib"), 0o777)
    let open = try read()
    #expect(open.refused.map(\.policy) == ["lib/"])
    #expect(open.refused.first?.located.hasPrefix("lib: everybody may write into /") == true)
    #expect(open.scripts.first?.modules == [])
    chmod(scratch.at("lib"), 0o755)
    scratch.write("..v1/b.lua")
    scratch.link("b.lua", to: "..v1/b.lua")
    chmod(scratch.at("..v1"), 0o777)
    let linked = try read()
    #expect(linked.refused.map(\.policy) == ["b"])
    #expect(linked.refused.first?.message.contains("everybody may write into") == true)
    #expect(linked.scripts.map(\.name) == ["a"])
  }

  @Test func `an empty module is cut off, not empty`() throws {
    scratch.write("a.lua")
    scratch.write("lib/m.lua", "")
    #expect(
      try read().refused.map(\.located) == [
        "lib/m.lua: the file is empty: it is being written, or was cut off"
      ])
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `what a group may write is refused, unless it is root's`() throws {
    scratch.write("x.lua", mode: 0o664)
    #expect(try names() == ["x"])
    chown(scratch.at("x.lua"), 0, 1000)
    #expect(
      try refusal()
        == "x.lua: its group may write it; take that away with: chmod g-w \(scratch.at("x.lua"))")
  }

  @Test func `a file that is too large is refused by its size, one just within is read`() throws {
    let most = ScriptFile.sizeMax
    scratch.write("x.lua", "--" + String(repeating: "x", count: most - 1))
    #expect(try refusal()?.contains("\(most + 1) bytes; a script may have \(most)") == true)
    scratch.write("x.lua", "--" + String(repeating: "x", count: most - 2))
    #expect(try names() == ["x"])
  }

  @Test func `a file full of holes is refused before it is read`() throws {
    scratch.write("x.lua", "")
    #expect(truncate(scratch.at("x.lua"), 1 << 40) == 0)
    #expect(try refusal()?.contains("a script may have") == true)
  }

  @Test func `a read that fails is a refusal`() {
    // Regular, said to be empty, and unreadable at its beginning even for root.
    #expect(throws: ScriptFile.Refusal.self) { try ScriptFile.read("/proc/self/mem") }
    #expect(throws: ScriptFile.Refusal.self) { try ScriptFile.read("/dev/zero") }
    #expect(throws: ScriptFile.Refusal.self) { try ScriptFile.read("") }
    #expect(throws: ScriptFile.Refusal.self) { try ScriptFile.read(scratch.at("a/b/c.lua")) }
  }

  @Test func `a file that nobody may read is refused, unless root asks`() throws {
    scratch.write("x.lua", mode: 0o000)
    if geteuid() == 0 {
      #expect(try names() == ["x"])
    } else {
      #expect(try refusal()?.contains("no permission to read it") == true)
    }
  }

  @Test(arguments: [
    "ü.lua", "a b.lua", "a;b.lua", "$(id).lua", "a\nb.lua", "a'b.lua", "\u{1B}[31m.lua",
  ])
  func `a name that would not be safe to show is refused`(_ name: String) throws {
    scratch.write(name)
    #expect(try refusal()?.contains("letters, digits, '-', '_' and '.' only") == true)
  }

  @Test func `a name that is not UTF-8 or too long is refused`() throws {
    let path = Array((scratch.path + "/a").utf8) + [0xFF, 0xFE] + Array(".lua".utf8) + [0]
    let descriptor = path.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_WRONLY | O_CREAT, 0o644) }
    }
    close(descriptor)
    #expect(try refusal()?.contains("letters, digits") == true)
    unlink(path.map { CChar(bitPattern: $0) })
    scratch.write(String(repeating: "n", count: 65) + ".lua")
    #expect(try refusal()?.contains("letters, digits") == true)
  }

  @Test func `a directory that is not there, or none, says so`() {
    scratch.write("file")
    for (name, why) in [("nothing", "there is no such"), ("file", "not a directory")] {
      let path = scratch.at(name)
      do {
        _ = try PolicyDirectory(reading: path)
        Issue.record("\(name) was read")
      } catch {
        #expect(error.message.hasPrefix("\(path): ") && error.message.contains(why))
      }
    }
  }

  @Test func `a broken module is refused by its own name`() throws {
    scratch.write("a.lua")
    scratch.folder("lib/x.lua")
    scratch.write("lib/m.lua", mode: 0o666)
    let refused = try read().refused
    #expect(refused.map(\.policy) == ["lib/m", "lib/x"])
    #expect(refused.last?.located == "lib/x.lua: it is a directory")
  }

  // MARK: Texts

  static let texts: [(String, [UInt8])] = [
    ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array("\nerror('here')".utf8)),
    ("a first line for the shell", Array("#!/usr/bin/lua\nerror('here')".utf8)),
    ("both", [0xEF, 0xBB, 0xBF] + Array("#!/usr/bin/lua\nerror('here')".utf8)),
    ("line ends of another system", Array("local a = 1\r\nerror('here')\r\n".utf8)),
    ("line ends of an old system", Array("local a = 1\rerror('here')\r".utf8)),
    ("latin text in a comment", Array("-- ".utf8) + [0xFC, 0xFF] + Array("\nerror('here')".utf8)),
  ]

  @Test(arguments: texts) func `a text is read with its lines counted`(
    _ name: String, _ text: [UInt8]
  ) {
    let script = PolicyScript(name: "p", file: "p.lua", source: text)
    let set = PolicyRuntime().load([script], reason: .start)
    #expect(set.rejected.map(\.located) == ["p.lua:2: here"], "\(name)")
  }

  @Test func `a policy that was cut off or cannot be read leaves the last good one at work`() throws
  {
    let rig = Rig([:])
    func reload() throws {
      let directory = try read()
      rig.simulator.feed(
        .policies(
          rig.simulator.runtime.load(
            directory.scripts, refused: directory.refused, reason: .reload,
            settings: { _ in .untimed })))
    }
    scratch.write(
      "p.lua",
      "return { api = 1, on_path = function(ctx, ev) ctx.publish('s', ev.status) end }")
    try reload()
    rig.online()
    #expect(rig.value("s")?.text == "satisfied")
    scratch.write("p.lua", "")
    try reload()
    #expect(says(rig.rejections.last, "p.lua:1", "the file is empty"))
    unlink(scratch.at("p.lua"))
    scratch.pipe("p.lua")
    try reload()
    #expect(rig.rejections.last == "p.lua: it is a pipe, not a file")
    rig.offline()
    #expect(rig.value("s")?.text == "unsatisfied")
    #expect(rig.faults == [])
    unlink(scratch.at("p.lua"))
    try reload()
    let isRemoved = rig.simulator.log.contains {
      if case .policy("p", .removed, _) = $0.order { true } else { false }
    }
    #expect(isRemoved)
  }
}
