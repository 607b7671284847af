package import PathCore

/// A text that ran, or may run, without a doubt: with the modules it needs, and what tells it and
/// its test from any other.
package struct AcceptedText: Hashable, Sendable {
  package var script: PolicyScript
  /// Of text, modules and test.
  package var hash: String

  package init(_ script: PolicyScript, test: PolicyScript?) {
    self.script = script.withNeededModules
    hash = Self.hash(self.script, test)
  }

  private static func hash(_ needed: PolicyScript, _ test: PolicyScript?) -> String {
    var hash = ContentHash()
    hash.add(Array(needed.hash.utf8))
    if let test { hash.add(Array(test.withNeededModules.hash.utf8)) }
    return hash.text
  }

  // MARK: The stored form

  /// The script's own hash, its source, and name and source of each module; each behind its length
  /// in four bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func add(_ piece: [UInt8]) {
      for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: piece.count >> shift)) }
      bytes += piece
    }
    add(Array(script.hash.utf8))
    add(script.source)
    for module in script.modules {
      add(Array(module.name.utf8))
      add(module.source)
    }
    return bytes
  }

  /// Reads the stored form; nil if it is not what was written, or not what a directory could hold.
  package init?(name: String, hash: String, bytes: [UInt8]) {
    guard PolicyName.problem(name) == nil else { return nil }
    guard let pieces = Self.pieces(of: bytes), pieces.count >= 2, pieces.count % 2 == 0 else {
      return nil
    }
    var script = PolicyScript(name: name, file: "\(name).lua", source: Array(pieces[1]))
    for place in stride(from: 2, to: pieces.count, by: 2) {
      let module = String(decoding: pieces[place], as: UTF8.self)
      script.modules.append(
        PolicyModule(
          name: module, file: "lib/\(module).lua", source: Array(pieces[place + 1])))
    }
    guard script.hash.utf8.elementsEqual(pieces[0]) else { return nil }
    self.script = script
    self.hash = hash
  }

  private static func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard rest.count >= 4, pieces.count < 2 + 2 * PolicyDirectory.modulesMax else { return nil }
      let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard count <= min(rest.count, ScriptFile.sizeMax) else { return nil }
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }
}

/// Why a text that runs is yet to be tested.
package enum Doubt: Hashable, Sendable {
  /// Nothing is known of it: if its test is against it, it stops.
  case unknown
  /// It was accepted with another test, so it goes on whatever this one says.
  case newTest
}

/// What a run begins with, given what earlier runs accepted: the files where they are the same, the
/// accepted text where the file is another or cannot be read.
package struct StartingTexts: Sendable {
  package var scripts: [PolicyScript] = []
  package var refused: [PolicyFault] = []
  package var doubts: [String: Doubt] = [:]

  package init(
    _ files: [PolicyScript], tests: [PolicyScript], refused faults: [PolicyFault],
    accepted: [String: AcceptedText]
  ) {
    let tests = Dictionary(tests.map { ($0.name, $0) }) { first, _ in first }
    for file in files {
      let found = AcceptedText(file, test: tests[file.name])
      guard let known = accepted[file.name] else {
        doubts[file.name] = .unknown
        scripts.append(file)
        continue
      }
      if known.hash != found.hash, known.script == found.script { doubts[file.name] = .newTest }
      scripts.append(known.script == found.script ? file : known.script)
    }
    // Of a file that cannot be read it is told when it is tried, as of an edit.
    for fault in faults {
      if let known = accepted[fault.policy], scripts.count < PolicyDirectory.policiesMax {
        scripts.append(known.script)
      } else {
        refused.append(fault)
      }
    }
  }
}
