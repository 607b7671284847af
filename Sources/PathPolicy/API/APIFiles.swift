/// What `netvane api` and `netvane new` write.
extension PolicyAPI {
  /// The files that are made from the table, for a directory of policies.
  package enum Files {
    /// Stands in each file that may be written over; where it does not, the file is somebody's own.
    package static let mark = "Made by `netvane api`; changes are lost when it is run again."

    /// What editors and luacheck look for beside the policies.
    package static let forEditors: [(name: String, text: String)] = [
      (".types/netvane.lua", APITypesFile.types),
      (".types/policy/test.lua", APITypesFile.testTypes),
      (".luarc.json", languageServer), (".luacheckrc", luacheck),
    ]

    /// Those, and the reference page.
    package static let all: [(name: String, text: String)] =
      forEditors + [("README.md", APIReference.page)]

    /// lua-language-server's settings. JSON has no comments, so the file bears no mark and is
    /// never written over.
    private static let languageServer = """
      {
        "$schema": "https://raw.githubusercontent.com/LuaLS/vscode-lua/master/setting/schema.json",
        "runtime.version": "Lua 5.4",
        "runtime.path": ["lib/?.lua", "?.lua"],
        "runtime.builtin": {
          "coroutine": "disable",
          "debug": "disable",
          "io": "disable",
          "os": "disable"
        },
        "workspace.library": [".types"],
        "workspace.checkThirdParty": false
      }

      """

    private static var luacheck: String {
      let libraries = PolicyAPI.libraries.map { name, members in
        let fields = wrap(members.map { "\"\($0)\"," }, indent: "      ")
        return "    \(name) = { fields = {\n\(fields)\n    } },"
      }
      return """
        -- \(mark)
        -- What policies and their tests find; use it with: luacheck --config .luacheckrc .
        stds.netvane = {
          read_globals = {
        \(wrap(PolicyAPI.globals.map { "\"\($0)\"," }, indent: "    "))
        \(libraries.joined(separator: "\n"))
          },
        }
        std = "netvane"
        -- Handlers are handed ctx and ev, whether they look at both or not.
        unused_args = false
        max_line_length = false

        """
    }

    private static func wrap(_ words: [String], indent: String) -> String {
      var lines: [String] = []
      var line = indent
      for word in words {
        if line.count + word.count > 100 {
          lines.append(line)
          line = indent
        }
        line += (line == indent ? "" : " ") + word
      }
      return (lines + [line]).joined(separator: "\n")
    }
  }
}
