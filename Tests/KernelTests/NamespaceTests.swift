import Glibc
import Testing

/// Whether this process was started in a fresh namespace, where it may do as it likes.
let inFreshNamespace = getenv("NETVANE_KERNEL_TESTS").map { String(cString: $0) } == "1"

@Suite(.enabled(if: inFreshNamespace, "needs a network namespace of its own: run `make test`"))
struct NamespaceTests {
  @Test func `the namespace holds a loopback that is up, and no other interface`() throws {
    let names = try interfaceNames()
    #expect(names == ["lo"])
    #expect(try text(of: "/proc/net/if_inet6").contains(" lo"))
  }

  @Test func `sysfs shows this namespace, not the one it came from`() throws {
    var entries: [String] = []
    let directory = try #require(opendir("/sys/class/net"))
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix("."), name != "bonding_masters" { entries.append(name) }
    }
    #expect(entries == ["lo"])
  }

  private func interfaceNames() throws -> [String] {
    try text(of: "/proc/self/net/dev").split(separator: "\n").dropFirst(2).compactMap { line in
      line.split(separator: ":").first.map { $0.filter { $0 != " " } }
    }
  }

  private func text(of path: String) throws -> String {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [CChar](repeating: 0, count: 65536)
    let count = fread(&bytes, 1, bytes.count - 1, file)
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
