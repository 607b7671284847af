import Testing

@testable import netvane

struct HelpTests {
  private static let pages: [Command?] = [nil] + Command.allCases

  @Test(arguments: pages) func `help fits a terminal of eighty columns`(command: Command?) {
    for line in Help.lines(for: command) {
      #expect(line.count <= 80, "\(line)")
      #expect(!line.hasSuffix(" "), "\(line)")
    }
  }

  @Test func `the program's help names every command`() {
    let text = Help.lines(for: nil).joined(separator: "\n")
    for command in Command.allCases { #expect(text.contains("  \(command.rawValue)")) }
  }

  @Test(arguments: Command.allCases) func `a command's help names every flag it takes, aligned`(
    command: Command
  ) {
    let lines = Help.lines(for: command)
    for flag in command.flags {
      let head = "  \(flag.name.typed)" + (flag.placeholder.map { " \($0)" } ?? "") + "  "
      #expect(lines.contains { $0.hasPrefix(head) }, "\(flag.name.typed)")
    }
    let rows = lines.drop { $0 != "Flags:" }.dropFirst()
    #expect(rows.count >= command.flags.count)
    let columns = Set(
      rows.map { row in
        let body = row.hasPrefix("  --") ? row.dropFirst(2).drop { $0 != " " } : row[...]
        // A placeholder is the one capital word after a flag, with a single space before it.
        let rest = body.hasPrefix("  ") ? body : body.dropFirst().drop { $0 != " " }
        return row.count - rest.drop { $0 == " " }.count
      })
    #expect(columns.count == 1, "\(columns)")
  }

  @Test func `each command has exactly one row, and each flag too`() {
    #expect(commandTable.map(\.command) == Command.allCases)
    #expect(Set(flagTable.map(\.name)) == Set(Flag.Name.allCases))
    #expect(flagTable.count == Flag.Name.allCases.count)
  }

  @Test func `the version is a name and three numbers`() {
    let words = Help.version.split(separator: " ")
    #expect(words.count == 2 && words.first == "netvane")
    #expect(words.last?.split(separator: ".").allSatisfy { Int($0) != nil } == true)
  }
}
