import PathCore

/// The policy API, version 1, in one table: what a policy may write, read and call. The prelude's
/// checks, the files for editors and the reference page are made from it.
package enum PolicyAPI {
  package static let version = 1

  /// What a value may be.
  package struct Kind: Hashable, Sendable {
    /// The prelude's check, or a type of Lua.
    package var check: String
    /// As the Lua language server writes it.
    package var annotation: String
    /// As people read it.
    package var shown: String
    /// What else must hold of it.
    package var bounds = ""
  }

  /// One entry of a table of Lua.
  package struct Entry: Hashable, Sendable {
    package var name: String
    package var kind: Kind
    package var meaning: String
    /// Of what a policy writes: it must be there. Of what it reads: it always is.
    package var isRequired: Bool
    /// What holds where it is left out, as Lua writes it.
    package var standard: String?

    static func must(_ name: String, _ kind: Kind, _ meaning: String) -> Entry {
      Entry(name: name, kind: kind, meaning: meaning, isRequired: true)
    }

    static func may(
      _ name: String, _ kind: Kind, _ meaning: String, standard: String? = nil
    ) -> Entry {
      Entry(name: name, kind: kind, meaning: meaning, isRequired: false, standard: standard)
    }
  }

  /// One table of Lua with its entries.
  package struct Group: Hashable, Sendable {
    /// As the prelude calls it; for an event the kind of its record.
    package var name: String
    /// As the Lua language server calls it, after `netvane.`.
    package var className: String
    package var meaning: String
    package var entries: [Entry]
  }

  /// Words of which one is meant.
  package struct Choice: Hashable, Sendable {
    /// As the Lua language server calls it, after `netvane.`.
    package var name: String
    package var meaning: String
    package var words: [String]
  }

  /// A function that a policy or a test calls.
  package struct Verb: Hashable, Sendable {
    package var name: String
    package var parameters: [Entry]
    package var returns: Kind?
    package var meaning: String

    init(_ name: String, _ parameters: [Entry], returns: Kind? = nil, _ meaning: String) {
      self.name = name
      self.parameters = parameters
      self.returns = returns
      self.meaning = meaning
    }
  }

  /// A table of functions: `ctx`, `ctx.alert`, `t`, `sim`, …
  package struct Toolbox: Hashable, Sendable {
    /// As scripts write it.
    package var name: String
    package var className: String
    package var meaning: String
    package var fields: [Entry] = []
    package var verbs: [Verb]
  }
}

/// The bounds of what a policy may write; the prelude has them from here.
package enum PolicyBounds {
  package static let keyBytes = 128
  package static let titleBytes = 256
  package static let textBytes = 4096
  package static let logsPerHandler = 32
  package static let stateBytes = 64 * 1024
  package static let listEntries = ActionLimits.arguments
  package static let monitors = 32
  package static let recurringTimers = 32
  package static let buttons = 8
  package static let urlBytes = ActionLimits.urlBytes
  package static let bodyBytes = ActionLimits.requestBodyBytes
  package static let argumentBytes = ActionLimits.argumentBytes
  package static let headers = ActionLimits.headers
  package static let expectedTextBytes = ActionLimits.expectedTextBytes
}
