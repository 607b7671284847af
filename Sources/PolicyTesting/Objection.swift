/// What a test is told when something is not as it says, or cannot be done.
struct Objection: Error, Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// Something is not as the test expects.
    case miss
    /// The test asks for what there is not.
    case misuse
    /// It used up what a case may use.
    case budget
  }

  var kind: Kind
  var message: String
  var differences: [Difference] = []

  static func misuse(_ message: String) -> Objection { Objection(kind: .misuse, message: message) }

  static func miss(_ message: String, _ differences: [Difference] = []) -> Objection {
    Objection(kind: .miss, message: message, differences: differences)
  }
}

/// A field that is not as it should be; values as Lua writes them.
package struct Difference: Hashable, Sendable {
  /// The way to it: `alerts[1].title`.
  package var field: String
  package var wanted: String
  package var got: String

  package init(field: String, wanted: String, got: String) {
    self.field = field
    self.wanted = wanted
    self.got = got
  }
}
