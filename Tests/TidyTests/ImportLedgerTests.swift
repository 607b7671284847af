import Testing

struct ImportLedgerTests {
  @Test func `every room imports only what the ledger allows`() {
    let kit = SourceTree.tests.filter { $0.room == "PathTestKit" }
    for finding in (SourceTree.sources + kit).flatMap(ImportLedger.check) {
      Issue.record("\(finding)")
    }
  }

  @Test func `every room in the ledger exists, so that a renamed one cannot go unwatched`() {
    let rooms = Set((SourceTree.sources + SourceTree.tests).map(\.room))
    #expect(Set(ImportLedger.rooms.keys).subtracting(rooms) == [])
  }

  @Test(arguments: [
    "import Glibc", "internal import Foundation", "  package import Dispatch",
    "@preconcurrency import Synchronization", "import struct Foundation.Date",
    "@_spi(Private) public import PathKernel", "#if os(Linux)\n  import Glibc\n#endif",
  ]) func `the core refuses every import, however it is written`(text: String) {
    #expect(check("Sources/PathCore/Model/A.swift", text).count == 1)
  }

  @Test func `an allowed import passes, and one in a comment or a string is none`() {
    #expect(check("Sources/PathKernel/A.swift", "internal import CMnl\nimport Glibc").isEmpty)
    #expect(check("Sources/PathCore/A.swift", "// import Glibc\nlet a = \"import Glibc\"").isEmpty)
    #expect(check("Sources/PathCore/A.swift", "/*\nimport Glibc\n*/\nlet important = 1").isEmpty)
    #expect(check("Sources/PathCore/A.swift", "let a = \"\"\"\nimport Glibc\n\"\"\"").isEmpty)
  }

  @Test func `a test's way of importing is refused in a room`() {
    #expect(check("Sources/PathDaemon/A.swift", "@testable import PathCore").count == 1)
    #expect(check("Sources/PathDaemon/A.swift", "@_exported import PathCore").count == 1)
    #expect(check("Sources/NetworkPath/A.swift", "@_exported import PathCore").count == 1)
    #expect(check("Sources/NetworkPath/A.swift", "@_exported public import Dispatch").isEmpty)
  }

  @Test func `a C room includes its library, the standard headers and its own files`() {
    let sandbox = "Sources/LuaSandbox/a.c"
    let own = "#include \"../CLua/shim.h\"\n#include \"LuaSandbox.h\""
    #expect(check(sandbox, own).isEmpty)
    #expect(check(sandbox, "#include <lua.h>").count == 1)
    #expect(check(sandbox, "#include <linux/netlink.h>").count == 1)
    #expect(check("Sources/CLinux/a.h", "# include <linux/netlink.h>").isEmpty)
    #expect(check("Sources/CLinux/a.h", "#include <lua.h>").count == 1)
    #expect(check("Sources/CMnl/shim.h", "#include <systemd/sd-event.h>").count == 1)
  }

  @Test func `a room without a row is refused`() {
    #expect(check("Sources/PathShed/A.swift", "").count == 1)
  }

  private func check(_ path: String, _ text: String) -> [Finding] {
    ImportLedger.check(SourceFile(path: path, text: text))
  }
}
