import Foundation
import PathCore
import Testing

@testable import PathKernel

@Suite struct ResolverTests {
  private func servers(_ text: String) -> [String] {
    ResolverFile.parse(text.utf8).map {
      $0.zone.isEmpty ? "\($0.address)" : "\($0.address)%\($0.zone)"
    }
  }

  @Test("D-01: a scoped server keeps its zone")
  func scoped() {
    #expect(servers("nameserver fe80::1%wlan0\noptions edns0 trust-ad\n") == ["fe80::1%wlan0"])
  }

  @Test("D-04: bad lines are skipped and never spoil their neighbours")
  func badLines() {
    let text = """
      nameserver ::0%lo0
      nameserver 300.1.1.1
      nameserver
      NAMESERVER 192.0.2.51
       nameserver 192.0.2.52
      nameserver 192.0.2.53 # office
      nameserver\t192.0.2.54\r
      \(String(repeating: "# comment\n", count: 400))
      nameserver 192.0.2.55\u{0}garbage
      nameserver 192.0.2.56
      """
    #expect(servers(text) == ["192.0.2.53", "192.0.2.54", "192.0.2.55"])
  }

  @Test("Keywords need a blank, comments do not count, and three servers are the limit")
  func keywords() {
    #expect(servers("nameservers 192.0.2.1\nnameserver192.0.2.2\n#nameserver 192.0.2.3\n") == [])
    #expect(servers(";nameserver 192.0.2.1") == [])
    #expect(servers("nameserver 127.0.0.53") == ["127.0.0.53"])
    #expect(servers("") == [])
    #expect(servers((1...6).map { "nameserver 192.0.2.\($0)\n" }.joined()).count == 3)
    #expect(servers("nameserver 192.0.2.1#53\nnameserver fe80::1%\n") == [])
  }

  @Test("Absent files, folders and FIFOs are empty and do not wait")
  func oddFiles() throws {
    let scratch = try ScratchFolder()
    try scratch.folder("folder")
    #expect(mkfifo("\(scratch.path)/fifo", 0o600) == 0)
    for name in ["absent", "folder", "fifo"] {
      #expect(ResolverFile.read("\(scratch.path)/\(name)") == [])
    }
  }

  @Test("A file larger than the bound is read up to it")
  func largeFile() throws {
    let scratch = try ScratchFolder()
    let comment = String(repeating: "# 3456789 123456\n", count: 5000)
    try scratch.write("resolv.conf", "nameserver 192.0.2.1\n\(comment)nameserver 192.0.2.2\n")
    #expect(ResolverFile.read("\(scratch.path)/resolv.conf").count == 1)
  }

  private func texts(_ watch: ResolverWatch) -> [String] { watch.servers.map { "\($0.address)" } }

  @Test("D-03: rename, rewriting in place, emptying and deleting are each seen")
  func changes() throws {
    let scratch = try ScratchFolder()
    let watch = ResolverWatch(path: "\(scratch.path)/resolv.conf")
    #expect(watch.servers.isEmpty)
    try scratch.write("resolv.conf", "nameserver 192.0.2.1\n")
    #expect(watch.drain())
    try scratch.replace("resolv.conf", "nameserver 192.0.2.2\n")
    #expect(watch.drain())
    #expect(texts(watch) == ["192.0.2.2"])
    try scratch.replace("resolv.conf", "# again\nnameserver 192.0.2.2\n")
    #expect(!watch.drain())
    try scratch.write("resolv.conf", "")
    #expect(watch.drain())
    #expect(watch.servers.isEmpty)
    try scratch.write("resolv.conf", "nameserver 192.0.2.3\n")
    #expect(watch.drain())
    try scratch.remove("resolv.conf")
    #expect(watch.drain())
    try scratch.write("unrelated", "nameserver 192.0.2.9\n")
    #expect(!watch.drain())
    #expect(watch.servers.isEmpty)
  }

  @Test("A swapped link is followed, and so are changes behind it afterwards")
  func swappedLink() throws {
    let scratch = try ScratchFolder()
    try scratch.write("run/a/stub.conf", "nameserver 192.0.2.1\n")
    try scratch.write("run/b/stub.conf", "nameserver 192.0.2.2\n")
    try scratch.link("etc/resolv.conf", to: "../run/a/stub.conf")
    let watch = ResolverWatch(path: "\(scratch.path)/etc/resolv.conf")
    #expect(texts(watch) == ["192.0.2.1"])
    try scratch.link("etc/resolv.conf", to: "\(scratch.path)/run/b/stub.conf")
    #expect(watch.drain())
    #expect(texts(watch) == ["192.0.2.2"])
    try scratch.replace("run/b/stub.conf", "nameserver 192.0.2.3\n")
    #expect(watch.drain())
    #expect(texts(watch) == ["192.0.2.3"])
    try scratch.write("run/a/stub.conf", "nameserver 192.0.2.4\n")
    #expect(!watch.drain())
  }

  @Test("A link into a folder that comes later is followed when it is there")
  func lateFolder() throws {
    let scratch = try ScratchFolder()
    try scratch.folder("run")
    try scratch.link("etc/resolv.conf", to: "../run/resolve/stub.conf")
    let watch = ResolverWatch(path: "\(scratch.path)/etc/resolv.conf")
    try scratch.folder("run/resolve")
    #expect(!watch.drain())
    try scratch.write("run/resolve/stub.conf", "nameserver 192.0.2.1\n")
    #expect(watch.drain())
    try scratch.remove("run/resolve")
    #expect(watch.drain())
    #expect(watch.servers.isEmpty)
    try scratch.write("run/resolve/stub.conf", "nameserver 192.0.2.2\n")
    #expect(watch.drain())
    #expect(texts(watch) == ["192.0.2.2"])
  }

  @Test("A link that points at itself ends")
  func loop() throws {
    let scratch = try ScratchFolder()
    try scratch.link("resolv.conf", to: "resolv.conf")
    let watch = ResolverWatch(path: "\(scratch.path)/resolv.conf")
    #expect(watch.servers.isEmpty)
    try scratch.replace("resolv.conf", "nameserver 192.0.2.1\n")
    #expect(watch.drain())
  }
}
