import Testing

/// What the units for systemd promise to those who run policies under them.
struct UnitTests {
  private static let units = SourceTree.files(below: "packaging", kinds: ["service"])

  /// The directives of a unit, in order.
  private static func directives(_ unit: SourceFile) -> [Substring] {
    unit.lines.filter { !$0.hasPrefix("#") && $0.contains("=") }
  }

  private static func check(_ unit: SourceFile) -> Finding? {
    let directives = directives(unit)
    guard directives.contains(where: { $0.hasPrefix("SystemCallFilter=") }) else { return nil }
    // The last one counts, and an empty one takes the others back.
    let number = directives.last { $0.hasPrefix("SystemCallErrorNumber=") }
    if number == "SystemCallErrorNumber=EPERM" { return nil }
    return Finding(
      path: unit.path, line: 0,
      message: "a call that SystemCallFilter forbids kills; add SystemCallErrorNumber=EPERM")
  }

  @Test func `a system call that a unit forbids fails, and kills nobody`() {
    #expect(Self.units.count == 2)
    for finding in Self.units.compactMap(Self.check) { Issue.record("\(finding)") }
  }

  @Test(arguments: [
    ("SystemCallFilter=@system-service", false),
    ("SystemCallFilter=@system-service\n# SystemCallErrorNumber=EPERM", false),
    ("SystemCallFilter=@a\nSystemCallErrorNumber=EPERM\nSystemCallErrorNumber=", false),
    ("SystemCallFilter=@system-service\nSystemCallErrorNumber=EPERM", true),
    ("UMask=0077", true),
  ])
  func `a unit without the line is found`(text: String, isGood: Bool) {
    let unit = SourceFile(path: "packaging/a.service", text: text)
    #expect((Self.check(unit) == nil) == isGood)
  }
}
