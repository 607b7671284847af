package import PathCore
import PathTrust

/// The files of a policy directory: `*.lua` are policies, `*_test.lua` their tests, `lib/*.lua`
/// what they may `require`. Hidden files, editors' leftovers and other folders are not looked at. A
/// link may lead anywhere, as long as nobody else could have a hand in it.
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
    let root: TrustedPlace
    let files: [String]
    do throws(Distrust) {
      (root, files) = try Self.luaFiles(in: path, from: nil)
    } catch {
      throw Unreadable(message: "\(path): \(ScriptFile.describe(error))")
    }
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
        let source = try ScriptFile.read(name, in: root)
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

  private mutating func readTest(_ root: TrustedPlace, _ file: String, _ modules: [PolicyModule]) {
    let policy = String(file.dropLast(Self.testEnding.count))
    do throws(ScriptFile.Refusal) {
      let source = try ScriptFile.read(file, in: root)
      tests.append(PolicyScript(name: policy, file: file, source: source, modules: modules))
    } catch {
      refusedTests.append(
        PolicyFault(
          policy: policy, handler: nil, kind: .load, file: file, line: 0, message: error.message))
    }
  }

  private mutating func readModules(_ root: TrustedPlace) -> [PolicyModule] {
    var modules: [PolicyModule] = []
    let folder: TrustedPlace
    let names: [String]
    do throws(Distrust) {
      (folder, names) = try Self.luaFiles(in: "lib", from: root)
    } catch {
      if case .unreachable = error.reason { return [] }
      refuse("lib/", "lib", ScriptFile.describe(error))
      return []
    }
    for name in names.prefix(Self.modulesMax) {
      do throws(ScriptFile.Refusal) {
        let source = try ScriptFile.read(name, in: folder)
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

  /// A directory, and the sorted names in it that end in `.lua` and are not hidden.
  private static func luaFiles(
    in path: String, from start: TrustedPlace?
  ) throws(Distrust) -> (TrustedPlace, [String]) {
    let place = try TrustedPlace.find(path, from: start)
    let names = try place.entries().filter {
      $0.hasSuffix(".lua") && !$0.hasPrefix(".") && $0.utf8.count > 4
    }
    return (place, names.sorted())
  }
}
