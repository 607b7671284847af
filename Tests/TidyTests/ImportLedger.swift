/// Who may import whom. SwiftPM lets system modules and transitive imports through, so this table
/// is the rule.
enum ImportLedger {
  /// For Swift rooms module names; for C rooms headers, where a name that ends in `/` stands for a
  /// folder.
  static let rooms: [String: Set<String>] = [
    "CLua": ["lua.h", "lauxlib.h", "lualib.h", "lua5.4/"],
    "CMnl": ["libmnl/"],
    "CSystemd": ["systemd/"],
    "CSQLite": ["sqlite3.h"],
    "CCurl": standardC.union(["curl/", "dlfcn.h"]),
    "CMicrohttpd": standardC.union(["microhttpd.h", "dlfcn.h", "sys/socket.h"]),
    "CLinux": standardC.union(["linux/", "sys/", "net/", "netinet/", "arpa/"]),
    "LuaSandbox": standardC.union(["../CLua/shim.h", "sys/mman.h"]),
    "PathCore": [],
    "PathKernel": ["PathCore", "CMnl", "CLinux", "Glibc", "Musl"],
    "PathTrust": ["CLinux", "Glibc"],
    "PathPolicy": ["PathCore", "PathTrust", "LuaSandbox", "CLinux", "Glibc"],
    "PathSimulation": ["PathCore"],
    "PolicyTesting": ["PathCore", "PathPolicy", "PathSimulation"],
    "PathActions": ["PathCore", "PathTrust", "CLinux", "CCurl", "Glibc"],
    "PathStore": ["PathCore", "PathTrust", "CSQLite", "Glibc"],
    "PathDaemon": [
      "PathCore", "PathKernel", "PathTrust", "PathPolicy", "PathActions", "PathStore", "CLinux",
      "CSystemd", "CMicrohttpd", "Glibc",
    ],
    "NetworkPath": [
      "PathCore", "PathKernel", "CLinux", "Glibc", "Musl", "Dispatch", "Observation",
      "Synchronization",
      // With the trait `Foundation`.
      "FoundationEssentials",
      // On Apple's systems.
      "Network",
    ],
    "NetworkPathNotifications": ["NetworkPath", "Dispatch", "Foundation"],
    "netvane": [
      "PathDaemon", "PathActions", "PathCore", "PathPolicy", "PolicyTesting", "CLinux", "CCurl",
      "Glibc", "Synchronization",
    ],
    "netvane-bench": [
      "PathCore", "PathKernel", "PathPolicy", "PathDaemon", "PathStore", "PolicyTesting",
      "NetworkPath", "CLinux", "Glibc", "Dispatch",
    ],
    "PathTestKit": ["PathCore", "PathPolicy", "PathSimulation", "Foundation", "Glibc"],
  ]

  /// What a room hands on to whoever imports it.
  private static let handedOn: [String: Set<String>] = ["NetworkPath": ["Dispatch", "Network"]]

  private static let standardC: Set<String> = [
    "assert.h", "ctype.h", "errno.h", "fcntl.h", "float.h", "inttypes.h", "limits.h", "locale.h",
    "math.h", "poll.h", "pthread.h", "sched.h", "setjmp.h", "signal.h", "spawn.h", "stdarg.h",
    "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
    "time.h", "unistd.h",
  ]

  static func check(_ file: SourceFile) -> [Finding] {
    guard let allowed = rooms[file.room] else {
      return [Finding(path: file.path, line: 1, message: "\(file.room) has no row in the ledger")]
    }
    if file.isSwift { return checkSwift(file, allowed) }
    return file.isC ? checkC(file, allowed) : []
  }

  private static func checkSwift(_ file: SourceFile, _ allowed: Set<String>) -> [Finding] {
    var findings: [Finding] = []
    for (index, line) in file.codeLines.enumerated() {
      guard let statement = line.firstMatch(of: importStatement) else { continue }
      let module = String(statement.output.module)
      if !allowed.contains(module) {
        findings.append(refusal(file, index, module, allowed))
      }
      let isHandedOn = handedOn[file.room]?.contains(module) ?? false
      if line.contains("@testable") || line.contains("@_exported") && !isHandedOn {
        findings.append(
          Finding(
            path: file.path, line: index + 1,
            message: "a room imports plainly; `package` access is how rooms share"))
      }
    }
    return findings
  }

  private static func checkC(_ file: SourceFile, _ allowed: Set<String>) -> [Finding] {
    var findings: [Finding] = []
    for (index, line) in file.lines.enumerated() {
      guard let include = line.firstMatch(of: /^\s*#\s*(?:include|import)\s*([<"])([^>"]*)[>"]/)
      else { continue }
      let header = String(include.output.2)
      let isOwn = include.output.1 == "\"" && !header.contains("/")
      let isAllowed = allowed.contains { $0.hasSuffix("/") ? header.hasPrefix($0) : header == $0 }
      if !isOwn, !isAllowed { findings.append(refusal(file, index, header, allowed)) }
    }
    return findings
  }

  private static func refusal(
    _ file: SourceFile, _ index: Int, _ name: String, _ allowed: Set<String>
  ) -> Finding {
    let list = allowed.isEmpty ? "nothing" : allowed.sorted().joined(separator: ", ")
    return Finding(
      path: file.path, line: index + 1,
      message: "\(file.room) may not import \(name); it may import \(list)")
  }

  // Guarded by being constant; a regex is just not marked Sendable.
  nonisolated(unsafe) private static let importStatement =
    #/
      ^\s* (?: @\w+ (?: \( [^)]* \) )? \s+ )*
      (?: (?: public|package|internal|fileprivate|private ) \s+ )?
      import \s+
      (?: (?: struct|class|enum|protocol|typealias|func|let|var|actor ) \s+ )?
      (?<module> \w+ )
    /#
}
