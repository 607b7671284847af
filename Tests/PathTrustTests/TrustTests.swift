import Foundation
import Glibc
import PathTrust
import Testing

/// Whose files and directories count: with real users, groups and modes.
@Suite(.enabled(if: geteuid() == 0, "only root can give files away")) struct TrustTests {
  let ground = Ground()
  static let user: [String] = [
    "setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups",
  ]

  // MARK: The file

  @Test func `a file of another user is refused, with the command that helps`() {
    ground.file("f", owner: 1000)
    #expect(
      ground.look("f") == "it belongs to user 1000; it must be root's or yours: chown root …/f")
  }

  @Test(
    arguments: [
      (0o646, 0, "everybody may write it; take that away with: chmod o-w …/f"),
      (0o666, 0, "everybody may write it; take that away with: chmod o-w …/f"),
      (0o666, 1000, "everybody may write it; take that away with: chmod go-w …/f"),
      (0o664, 1000, "its group may write it; take that away with: chmod g-w …/f"),
      (0o664, 0, "taken …/f"), (0o644, 1000, "taken …/f"), (0o4755, 0, "taken …/f"),
    ] as [(mode_t, gid_t, String)])
  func `a file that others may write is refused`(_ mode: mode_t, _ group: gid_t, _ end: String) {
    ground.file("f", mode, group: group)
    #expect(ground.look("f") == end)
  }

  @Test func `who is named in an access list is no member of root's group`() throws {
    let path = ground.file("f", 0o644)
    // acl(5) as the kernel has it: version 2; owner, a user, the group, the mask, others.
    var list: [UInt8] = [2, 0, 0, 0]
    let everyone: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    for (tag, bits, id) in [
      (1, 6, everyone), (2, 6, [0xE8, 3, 0, 0]), (4, 4, everyone), (16, 6, everyone),
      (32, 4, everyone),
    ] as [(UInt8, UInt8, [UInt8])] {
      list += [tag, 0, bits, 0] + id
    }
    try #require(Self.setAttribute()(path, "system.posix_acl_access", list, list.count, 0) == 0)
    #expect(
      ground.look("f") == "users in its access list may write it; "
        + "take that away with: setfacl -b …/f")
  }

  /// setxattr(2), which the overlay hides.
  private static func setAttribute() throws
    -> @convention(c) (
      UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32
    ) -> Int32
  {
    unsafeBitCast(
      try #require(dlsym(nil, "setxattr")),
      to: (@convention(c) (
        UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32
      ) -> Int32).self)
  }

  // MARK: The way

  @Test func `a directory of another user is refused, though only he may write it`() {
    ground.folder("his/etc")
    ground.folder("his", owner: 1000)
    ground.file("his/etc/f")
    #expect(
      ground.look("his/etc/f")
        == "…/his belongs to user 1000; it must be root's or yours: chown root …/his")
  }

  @Test(
    arguments: [
      (0o777, 0, "everybody may write into …/d; take that away with: chmod o-w …/d"),
      (0o777, 1000, "everybody may write into …/d; take that away with: chmod go-w …/d"),
      (0o775, 1000, "group 1000 may write into …/d; take that away with: chmod g-w …/d"),
      (0o775, 0, "taken …/d/e/f"), (0o1777, 0, "taken …/d/e/f"), (0o1775, 1000, "taken …/d/e/f"),
      (0o711, 1000, "taken …/d/e/f"), (0o700, 1000, "taken …/d/e/f"),
    ] as [(mode_t, gid_t, String)])
  func `every directory on the way counts`(_ mode: mode_t, _ group: gid_t, _ end: String) {
    ground.file("d/e/f")
    ground.folder("d", mode, group: group)
    #expect(ground.look("d/e/f") == end)
  }

  @Test func `where everybody may make files it must be clear who made this one`() {
    ground.folder("tmp", 0o1777)
    ground.folder("tmp/his", owner: 1000)
    ground.file("tmp/his/f")
    #expect(ground.look("tmp/his/f").hasPrefix("…/tmp/his belongs to user 1000"))
    ground.file("real")
    ground.link("tmp/link", to: ground.at("real"))
    #expect(ground.look("tmp/link") == "taken …/real")
    lchown(ground.at("tmp/link"), 1000, 1000)
    #expect(ground.look("tmp/link").hasPrefix("…/tmp/link belongs to user 1000"))
    #expect(ground.look("tmp/..").hasPrefix("taken …"))
    ground.folder("tmp", 0o1777, owner: 1000)
    #expect(ground.look("tmp/link").hasPrefix("…/tmp belongs to user 1000"))
  }

  @Test func `a second name for root's file, which anybody can make there, is refused`() {
    ground.folder("tmp", 0o1777)
    ground.file("old.lua")
    link(ground.at("old.lua"), ground.at("tmp/config.lua"))
    #expect(ground.look("tmp/config.lua").hasPrefix("it has a second name elsewhere"))
    #expect(ground.look("old.lua") == "taken …/old.lua")
    // The store of Nix is for its own group, and makes such names itself.
    ground.folder("tmp", 0o1775, group: 30_000)
    #expect(ground.look("tmp/config.lua") == "taken …/tmp/config.lua")
  }

  @Test func `the end itself may not be a directory for everybody, sticky or not`() {
    ground.folder("tmp", 0o1777)
    #expect(ground.look("tmp").hasPrefix("everybody may write into …/tmp"))
  }

  @Test func `a link counts by every directory that it leads through`() {
    ground.file("good/f")
    ground.file("loose/f")
    ground.folder("hop")
    ground.link("hop/f", to: "../good/f")
    ground.link("a", to: "hop/f")
    ground.link("b", to: "loose/../good/f")
    #expect(ground.look("a") == "taken …/good/f")
    #expect(ground.look("b") == "taken …/good/f")
    ground.folder("loose", 0o777)
    #expect(ground.look("b").hasPrefix("everybody may write into …/loose"))
    // The directory of the link: there it can be made to lead elsewhere.
    ground.folder("hop", 0o755, owner: 1000)
    #expect(ground.look("a").hasPrefix("…/hop belongs to user 1000"))
  }

  @Test func `a name with blanks and quotes can be given to the shell as it is said`() {
    ground.file("it's here", 0o666)
    #expect(ground.look("it's here").hasSuffix("chmod o-w '…/it'\\''s here'"))
  }

  // MARK: Other users

  @Test func `an ordinary user trusts himself and root, and nobody else`() throws {
    ground.folder("mine", owner: 1000, group: 1000)
    ground.file("mine/f", 0o600, owner: 1000, group: 1000)
    ground.file("roots")
    ground.file("others", owner: 1001)
    ground.file("hidden/f")
    ground.folder("hidden", 0o711)
    #expect(try ground.look("mine/f", by: Self.user) == "taken …/mine/f: text")
    #expect(try ground.look("roots", by: Self.user) == "taken …/roots: text")
    #expect(try ground.look("hidden/f", by: Self.user) == "taken …/hidden/f: text")
    #expect(try ground.look("others", by: Self.user).contains("…/others belongs to user 1001"))
    ground.folder("hidden", 0o700)
    #expect(try ground.look("hidden/f", by: Self.user).hasSuffix("Permission denied"))
  }

  @Test(arguments: [["unshare", "-Ur"], ["unshare", "-Ur", "unshare", "-Ur"]])
  func `in a user's namespace the root directory is still root's`(_ inside: [String]) throws {
    let by = Self.user + inside
    // Below /tmp the first step must be the user's own: of the others nobody knows who they are.
    ground.file("roots")
    #expect(try ground.look("roots", by: by).contains("… belongs to user 65534"))
    try #require(chown(ground.path, 1000, 1000) == 0)
    #expect(try ground.look("roots", by: by) == "taken …/roots: text")
    ground.file("mine/f", owner: 1000, group: 1000)
    ground.folder("mine", owner: 1000, group: 1000)
    #expect(try ground.look("mine/f", by: by) == "taken …/mine/f: text")
    // What others may write is not trusted for its owner, nor a group that only looks like root's.
    ground.file("group", 0o664)
    #expect(try ground.look("group", by: by).contains("group 65534 may write …/group"))
    ground.file("own", 0o664, owner: 1000, group: 1000)
    #expect(try ground.look("own", by: by).contains("group 0 may write …/own"))
    ground.folder("tmp", 0o1777)
    ground.file("tmp/roots")
    #expect(try ground.look("tmp/roots", by: by).contains("…/tmp/roots belongs to user 65534"))
    ground.file("tmp/mine", owner: 1000, group: 1000)
    #expect(try ground.look("tmp/mine", by: by) == "taken …/tmp/mine: text")
  }

  @Test func `who has no number of his own trusts what none of the nameless may write`() throws {
    let by = Self.user + ["unshare", "-U"]
    try #require(chown(ground.path, 1000, 1000) == 0)
    ground.file("f", owner: 1000)
    #expect(try ground.look("f", by: by).contains("… belongs to user 65534"))
    #expect(try ground.look("/etc/passwd", by: by).hasPrefix("taken /etc/passwd"))
  }

  @Test func `where root has its number, the one that stands for nobody is nobody's`() throws {
    ground.file("f", owner: 65_534)
    #expect(ground.look("f").hasPrefix("it belongs to user 65534"))
    #expect(try ground.look("f", by: ["unshare", "-Ur"]).contains("belongs to user 65534"))
  }
}
