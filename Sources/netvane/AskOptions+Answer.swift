import Glibc
import PathCore
import PathDaemon
import PathPolicy

/// Asking the kernel once, as the commands that answer and leave do.
extension AskOptions {
  var filter: PathFilter {
    PathFilter(
      required: required.flatMap { InterfaceType(word: $0.rawValue) },
      prohibited: prohibited.reduce(into: InterfaceTypeSet()) { set, word in
        if let type = InterfaceType(word: word.rawValue) { set.insert(InterfaceTypeSet(type)) }
      }, interface: interface)
  }

  /// The kernel's present state under the configuration; what is wrong with that, or with what is
  /// asked, goes to `console`.
  func snapshot(_ console: Console) -> Snapshot? {
    do throws(ConfigurationError) {
      let snapshot = KernelGlance.snapshot(try Places.configuration(config))
      guard let problem = interfaceProblem(snapshot) else { return snapshot }
      console.complain("netvane: \(visible(problem))")
    } catch {
      console.complain("netvane: \(visible(error.located))")
    }
    return nil
  }

  /// A name that no interface has is a slip as a rule, and no verdict on it could be told from one
  /// on an interface without a path.
  private func interfaceProblem(_ snapshot: Snapshot) -> String? {
    guard let interface else { return nil }
    let names = Self.interfaceNames()
    let known = names + snapshot.interfaces.flatMap { [$0.name] + $0.alternativeNames }
    let pattern = NamePattern(interface)
    // Without a list nothing is known to be wrong.
    if names.isEmpty || known.contains(where: { pattern.matches($0, alternatives: []) }) {
      return nil
    }
    let near = nearestWord(to: interface, in: known)
    let hint = near.map { "did you mean \($0)?" } ?? "there is \(names.joined(separator: ", "))"
    return "--interface: there is no interface \(quoted(interface)); \(hint)"
  }

  /// The names of all interfaces, those too that no verdict looks at, if_nameindex(3).
  private static func interfaceNames() -> [String] {
    guard let list = unsafe if_nameindex() else { return [] }
    defer { unsafe if_freenameindex(list) }
    var names: [String] = []
    var entry = unsafe list
    while let name = unsafe entry.pointee.if_name {
      names.append(unsafe String(cString: name))
      unsafe entry += 1
    }
    return names.sorted()
  }
}
