import PathCore
import PathPolicy

/// A test file in a Lua state of its own.
final class TestState {
  private let lua: LuaState
  /// Who answers now; nobody while the file is loaded.
  private weak var simulation: Simulation?

  private static let prelude = LuaState.Prelude(
    PackageResources.testing_lua + PackageResources.generating_lua)
  private static let memoryBytes = 16 << 20

  /// Loads the file. What it says at load is its cases, and nothing else happens. A state that is
  /// for one of them alone leaves the others out, once the file was looked at in full.
  init(
    _ test: PolicyScript, _ budget: Budget, _ texts: CompiledTexts? = nil, only: TestCase? = nil
  ) throws(LuaState.Failure) {
    lua = try LuaState(prelude: Self.prelude, memoryBytes: Self.memoryBytes)
    lua.serve { [unowned self] question in answer(question) }
    if let only {
      var request = PlainWriter()
      request.array(2)
      request.text("only")
      request.integer(Int64(only.place))
      _ = try lua.values(request, fuel: budget.fuel)
    }
    try lua.load(test, fuel: budget.fuel, texts: texts)
  }

  private func answer(_ value: PlainValue) -> LuaState.Answer {
    if let simulation { return simulation.answer(value) }
    // A word that a test got wrong before any case began.
    guard let question = Question(value), question.verb == "hint" else {
      return .refused("this works inside a case only")
    }
    let words = (question[1].elements ?? []).compactMap(\.text)
    return .value(Self.text(hint(question[0].text ?? "", words)))
  }

  private static func text(_ text: String) -> PlainData {
    var writer = PlainWriter()
    writer.text(text)
    return PlainData(bytes: writer.bytes)
  }

  /// The cases of the file, in its order.
  func cases(_ budget: Budget) throws(LuaState.Failure) -> [TestCase] {
    var request = PlainWriter()
    request.array(1)
    request.text("list")
    let (list, _) = try lua.values(request, fuel: budget.fuel)
    return (list.elements ?? []).enumerated().compactMap { TestCase($0.element, $0.offset + 1) }
  }

  /// Runs one case, or one run of a property: with what was drawn before, where that is given.
  func run(
    _ test: TestCase, seed: UInt64, drawn: [PlainValue]?, _ simulation: Simulation
  ) throws(LuaState.Failure) {
    self.simulation = simulation
    defer { self.simulation = nil }
    var request = PlainWriter()
    request.array(4)
    request.text("run")
    request.integer(Int64(test.place))
    request.integer(Int64(bitPattern: seed))
    if let drawn, let data = PlainEncoder.encode(.array(drawn)) {
      request.raw(data)
    } else {
      request.null()
    }
    _ = try lua.values(request, fuel: simulation.budget.fuel)
  }
}

/// A case as its file declares it.
package struct TestCase: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case single = "case"
    case row = "table"
    case property
  }

  package var name: String
  package var line: Int
  package var kind: Kind
  /// Of a property; 1 otherwise.
  package var runs: Int
  package var seed: UInt64?
  /// Counts from 1 in the file.
  var place: Int

  fileprivate init?(_ value: PlainValue, _ place: Int) {
    guard let name = value["name"].text, let kind = value["kind"].text.flatMap(Kind.init) else {
      return nil
    }
    self.name = name
    self.kind = kind
    self.place = place
    line = Int(clamping: value["line"].integer ?? 0)
    runs = max(1, Int(clamping: value["runs"].integer ?? 1))
    seed = value["seed"].integer.map { UInt64(bitPattern: $0) }
  }
}
