import CLinux
import Glibc
package import PathCore

/// The files of a policy directory: `*.lua` are policies, `*_test.lua` their tests, `lib/*.lua`
/// what they may `require`. Hidden files, editors' leftovers and other folders are not looked at.
package struct PolicyDirectory: Sendable {
  package var scripts: [PolicyScript] = []
  /// Files that would be policies but could not be read, or modules that could not.
  package var refused: [PolicyFault] = []
  /// The names of the files that hold tests.
  package var testFiles: [String] = []
  /// `x_test.lua` as the test of `x`, where they are asked for.
  package var tests: [PolicyScript] = []
  /// Tests that could not be read.
  package var refusedTests: [PolicyFault] = []

  /// More policies than anybody has.
  package static let policiesMax = 256
  package static let modulesMax = 256

  /// Why the directory itself could not be read.
  package struct Unreadable: Error, Hashable, Sendable {
    package var message: String
  }

  private static let testEnding = "_test.lua"

  /// Reads all scripts, in the order of their names.
  package init(reading path: String, withTests: Bool = false) throws(Unreadable) {
    guard let root = ScriptFile.realPath(path) else {
      throw Unreadable(message: "\(path): \(ScriptFile.describe(errno))")
    }
    guard ScriptFile.isGuarded(root) else {
      throw Unreadable(
        message: "\(path): everybody may write into it; take that away with: chmod o-w")
    }
    let files = try Self.luaFiles(in: root, path)
    testFiles = files.filter { $0.hasSuffix(Self.testEnding) }
    let names = files.filter { !$0.hasSuffix(Self.testEnding) }
    guard names.count <= Self.policiesMax else {
      throw Unreadable(
        message: "\(path): \(names.count) policies; at most \(Self.policiesMax) are allowed")
    }
    let modules = readModules(root)
    for name in names {
      let policy = String(name.dropLast(4))
      if let problem = PolicyName.problem(policy) {
        refuse(policy, name, problem)
        continue
      }
      do throws(ScriptFile.Refusal) {
        let source = try ScriptFile.read("\(root)/\(name)", within: root)
        scripts.append(PolicyScript(name: policy, file: name, source: source, modules: modules))
      } catch {
        refuse(policy, name, error.message)
      }
    }
    scripts.sort { $0.name < $1.name }
    guard withTests else { return }
    for name in files.filter({ $0.hasSuffix(Self.testEnding) }).prefix(Self.policiesMax) {
      readTest(root, name, modules)
    }
  }

  private mutating func readTest(_ root: String, _ file: String, _ modules: [PolicyModule]) {
    let policy = String(file.dropLast(Self.testEnding.count))
    do throws(ScriptFile.Refusal) {
      let source = try ScriptFile.read("\(root)/\(file)", within: root)
      tests.append(PolicyScript(name: policy, file: file, source: source, modules: modules))
    } catch {
      refusedTests.append(
        PolicyFault(
          policy: policy, handler: nil, kind: .load, file: file, line: 0, message: error.message))
    }
  }

  private mutating func readModules(_ root: String) -> [PolicyModule] {
    var modules: [PolicyModule] = []
    let names = (try? Self.luaFiles(in: root + "/lib", "lib")) ?? []
    guard names.isEmpty || ScriptFile.isGuarded(root + "/lib") else {
      refuse("lib/", "lib", "everybody may write into it; take that away with: chmod o-w")
      return []
    }
    for name in names.prefix(Self.modulesMax) {
      do throws(ScriptFile.Refusal) {
        let source = try ScriptFile.read("\(root)/lib/\(name)", within: root)
        if source.isEmpty {
          throw ScriptFile.Refusal(
            message: "the file is empty: it is being written, or was cut off")
        }
        modules.append(
          PolicyModule(name: String(name.dropLast(4)), file: "lib/\(name)", source: source))
      } catch {
        refuse("lib/\(name.dropLast(4))", "lib/\(name)", error.message)
      }
    }
    return modules.sorted { $0.name < $1.name }
  }

  private mutating func refuse(_ policy: String, _ file: String, _ message: String) {
    refused.append(
      PolicyFault(
        policy: policy, handler: nil, kind: .load, file: file, line: 0, message: message))
  }

  /// Sorted names that end in `.lua` and are not hidden.
  private static func luaFiles(in path: String, _ shown: String) throws(Unreadable) -> [String] {
    guard let directory = unsafe opendir(path) else {
      throw Unreadable(message: "\(shown): \(ScriptFile.describe(errno))")
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".lua"), !name.hasPrefix("."), name.utf8.count > 4 { names.append(name) }
    }
    return names.sorted()
  }
}
