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

  /// More policies than anybody has. Of what is beyond, so many files are named.
  package static let policiesMax = 256
  package static let modulesMax = 256
  package static let namedMax = 256

  /// Why the directory itself could not be read.
  package struct Unreadable: Error, Hashable, Sendable {
    package var message: String
  }

  private static let testEnding = "_test.lua"

  /// Reads all scripts, in the order of their names. Where there are too many, the first by name
  /// are taken, but before them those that are `running`: a refused file leaves its last good
  /// version at work, which would come on top.
  package init(
    reading path: String, withTests: Bool = false, running: (String) -> Bool = { _ in false }
  ) throws(Unreadable) {
    let root: TrustedPlace
    let files: [String]
    do throws(Distrust) {
      (root, files) = try Self.luaFiles(in: path, from: nil)
    } catch {
      throw Unreadable(message: "\(path): \(ScriptFile.describe(error))")
    }
    testFiles = files.filter { $0.hasSuffix(Self.testEnding) }
    let modules = readModules(root)
    let names = takePolicies(files.filter { !$0.hasSuffix(Self.testEnding) }, running)
    for policy in names {
      let name = policy + ".lua"
      do throws(ScriptFile.Refusal) {
        let source = try ScriptFile.read(name, in: root)
        scripts.append(PolicyScript(name: policy, file: name, source: source, modules: modules))
      } catch {
        refuse(policy, name, error.message)
      }
    }
    if withTests { readTests(root, of: names, modules) }
  }

  /// The names of those that are read, sorted; the rest is refused.
  private mutating func takePolicies(_ files: [String], _ running: (String) -> Bool) -> [String] {
    var names: [String] = []
    for file in files {
      let policy = String(file.dropLast(4))
      if let problem = PolicyName.problem(policy) {
        refuse(policy, file, problem)
      } else {
        names.append(policy)
      }
    }
    names.sort()
    guard names.count > Self.policiesMax else { return names }
    let order = names.filter(running) + names.filter { !running($0) }
    let taken = order.prefix(Self.policiesMax).sorted()
    let why = Self.tooMany(names.count, "policies", "run", Self.policiesMax)
    for fault in Self.leftOut(order.dropFirst(Self.policiesMax).sorted(), "", why, "./") {
      refused.append(fault)
    }
    return taken
  }

  private static func tooMany(_ count: Int, _ what: String, _ verb: String, _ most: Int) -> String {
    "there are \(count) \(what) and at most \(most) \(verb), the first by name; this one is left "
      + "out until others are gone"
  }

  /// A fault for each, and beyond `namedMax` one for all.
  private static func leftOut(
    _ names: [String], _ folder: String, _ why: String, _ rest: String, ending: String = ".lua"
  ) -> [PolicyFault] {
    var faults = names.prefix(namedMax).map { name in
      fault(folder + name, folder + name + ending, why)
    }
    if names.count > namedMax {
      let more = names.count - namedMax
      faults.append(fault(rest, rest, "\(more) more files are left out, being too many"))
    }
    return faults
  }

  /// Those of these policies first, so that each has its own whatever else lies here.
  private mutating func readTests(
    _ root: TrustedPlace, of names: [String], _ modules: [PolicyModule]
  ) {
    let all = testFiles.map { String($0.dropLast(Self.testEnding.count)) }.sorted()
    let known = Set(names)
    let order = all.filter(known.contains) + all.filter { !known.contains($0) }
    for name in order.prefix(Self.policiesMax).sorted() {
      readTest(root, name + Self.testEnding, modules)
    }
    guard all.count > Self.policiesMax else { return }
    let why = Self.tooMany(all.count, "test files", "are read", Self.policiesMax)
    let left = order.dropFirst(Self.policiesMax).sorted()
    refusedTests += Self.leftOut(left, "", why, "./", ending: Self.testEnding)
  }

  private mutating func readTest(_ root: TrustedPlace, _ file: String, _ modules: [PolicyModule]) {
    let policy = String(file.dropLast(Self.testEnding.count))
    do throws(ScriptFile.Refusal) {
      let source = try ScriptFile.read(file, in: root)
      tests.append(PolicyScript(name: policy, file: file, source: source, modules: modules))
    } catch {
      refusedTests.append(Self.fault(policy, file, error.message))
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
    if names.count > Self.modulesMax {
      let why = Self.tooMany(names.count, "modules", "are read", Self.modulesMax)
      let left = names.dropFirst(Self.modulesMax).map { String($0.dropLast(4)) }
      refused += Self.leftOut(left, "lib/", why, "lib/")
    }
    return modules.sorted { $0.name < $1.name }
  }

  private mutating func refuse(_ policy: String, _ file: String, _ message: String) {
    refused.append(Self.fault(policy, file, message))
  }

  private static func fault(_ policy: String, _ file: String, _ message: String) -> PolicyFault {
    PolicyFault(policy: policy, handler: nil, kind: .load, file: file, line: 0, message: message)
  }

  /// A directory, and the sorted names in it that end in `.lua` and are not hidden.
  private static func luaFiles(
    in path: String, from start: TrustedPlace?
  ) throws(Distrust) -> (TrustedPlace, [String]) {
    let place = try TrustedPlace.find(path, from: start)
    let names = try place.entries().filter {
      $0.hasSuffix(".lua") && !$0.hasPrefix(".") && $0.utf8.count > 4
    }
    // Of their names: with the ending "a-b.lua" would come before "a.lua".
    return (place, names.sorted { $0.dropLast(4) < $1.dropLast(4) })
  }
}
