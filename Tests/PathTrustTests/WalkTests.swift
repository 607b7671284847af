import Foundation
import Glibc
import PathTrust
import Testing

/// Where the way leads: as the kernel goes it, whatever the name looks like.
@Suite struct WalkTests {
  let ground = Ground()

  @Test func `a directory of one's own in the machine's temporary one is trusted`() {
    ground.file("a/b/c.lua")
    #expect(ground.look("a/b/c.lua") == "taken …/a/b/c.lua")
    #expect(ground.look("a/b") == "taken …/a/b")
  }

  @Test(arguments: [
    ("a//b///c.lua", "taken …/a/b/c.lua"), ("a/./b/../b/c.lua", "taken …/a/b/c.lua"),
    ("./a/b/c.lua/", "it: Not a directory"), ("a/b/c.lua/.", "it: Not a directory"),
    ("a/b/c.lua/..", "it: Not a directory"), ("a/b/", "taken …/a/b"), ("a/b/..", "taken …/a"),
    ("a/none/../b/c.lua", "…/a/none: No such file or directory"),
    ("a/b/c.lua/d", "…/a/b/c.lua: Not a directory"), ("none", "it: No such file or directory"),
    ("direct", "taken …/a/b/c.lua"), ("there/c.lua", "taken …/a/b/c.lua"),
    ("there/../b/c.lua", "taken …/a/b/c.lua"), ("there/", "taken …/a/b"),
    ("round", "it: Too many levels of symbolic links"),
    ("nowhere", "it: No such file or directory"),
  ]) func `a name leads where it leads the kernel`(_ name: String, _ end: String) {
    ground.file("a/b/c.lua")
    ground.link("direct", to: ground.at("a/b/c.lua"))
    ground.link("there", to: "a/x/../b")
    ground.folder("a/x")
    ground.link("round", to: "round")
    ground.link("nowhere", to: "no/thing")
    if end.hasSuffix("Not a directory") {
      #expect(ground.look(name).hasSuffix(": Not a directory"))
    } else if end.hasSuffix("No such file or directory") {
      #expect(ground.look(name).hasSuffix(": No such file or directory"))
    } else {
      #expect(ground.look(name) == end)
    }
    #expect(ground.look(name).hasPrefix("taken") == (access(ground.at(name), F_OK) == 0))
  }

  @Test func `forty links are followed, and not one more`() {
    ground.file("l0")
    for number in 1...41 { ground.link("l\(number)", to: "l\(number - 1)") }
    #expect(ground.look("l40") == "taken …/l0")
    #expect(ground.look("l41").contains("Too many levels"))
    #expect(access(ground.at("l40"), F_OK) == 0 && access(ground.at("l41"), F_OK) != 0)
  }

  @Test func `a name that is empty, too long or has a zero byte is no place`() {
    func message(_ path: String) -> String? {
      do throws(Distrust) {
        _ = try TrustedPlace.find(path)
        return nil
      } catch {
        return error.message()
      }
    }
    #expect(message("")?.contains("No such file") == true)
    #expect(message("/etc/passwd\0x")?.contains("No such file") == true)
    #expect(message("/" + String(repeating: "a/", count: 3000))?.contains("too long") == true)
    #expect(message("/tmp/" + String(repeating: "a", count: 300))?.contains("too long") == true)
  }

  @Test func `a relative name begins in the working directory`() throws {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    try #require(getcwd(&buffer, buffer.count) != nil)
    let here = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    #expect(try TrustedPlace.find("Package.swift").path == "\(here)/Package.swift")
    #expect(try TrustedPlace.find(".").path == here)
  }

  @Test func `a link of the kernel's own leads to the file, not to the number it has`() throws {
    let file = open(ground.file("open"), O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    #expect(ground.look("/proc/self/fd/\(file)") == "taken …/open")
    ground.folder("loose", 0o777)
    let loose = open(ground.file("loose/open"), O_RDONLY | O_CLOEXEC)
    defer { close(loose) }
    #expect(ground.look("/proc/self/fd/\(loose)").hasPrefix("everybody may write into …/loose"))
  }

  @Test func `what is missing is made for its owner alone, and nothing where others may write`() {
    #expect(ground.look("x/y/z", making: .all) == "taken …/x/y/z")
    var status = stat()
    #expect(stat(ground.at("x/y"), &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect(ground.look("one", making: .theLast) == "taken …/one")
    #expect(ground.look("p/q", making: .theLast).hasSuffix("No such file or directory"))
    ground.folder("loose", 0o777)
    #expect(ground.look("loose/x", making: .all).contains("may write into …/loose"))
    #expect(access(ground.at("loose/x"), F_OK) != 0)
  }

  @Test func `no look keeps a descriptor`() throws {
    ground.file("a/b/c.lua")
    ground.link("link", to: "a/../a/b/c.lua")
    ground.folder("loose", 0o777)
    ground.file("loose/x")
    let output = try ground.look("link", by: [])
    #expect(output == "taken …/a/b/c.lua: text")
    // Other tests of this process open and close at the same time, so the numbers in use are not
    // counted: a new one would have to be above all that were kept.
    var most: Int32 = 0
    for _ in 0..<3000 {
      _ = ground.look("link")
      _ = ground.look("loose/x")
      let next = open("/dev/null", O_RDONLY | O_CLOEXEC)
      most = max(most, next)
      close(next)
    }
    #expect(most < 1000)
  }
}
