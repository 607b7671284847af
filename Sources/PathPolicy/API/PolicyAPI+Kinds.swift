import PathCore

/// Kinds of values, each under the name of its check in the prelude.
extension PolicyAPI.Kind {
  typealias Bounds = PolicyBounds

  static let number = Self(check: "number", annotation: "integer", shown: "number")
  static let fraction = Self(check: "number", annotation: "number", shown: "number")
  static let string = Self(check: "string", annotation: "string", shown: "text")
  static let boolean = Self(check: "boolean", annotation: "boolean", shown: "boolean")
  static let table = Self(check: "table", annotation: "table", shown: "table")
  static let any = Self(check: "any", annotation: "any", shown: "any value")
  static let data = Self(
    check: "table", annotation: "table<string, any>", shown: "table",
    bounds: "plain data: no functions, no cycles, 16 tables deep at most")

  static let version = Self(
    check: "version", annotation: "integer", shown: "number", bounds: "whole, from 1 on")
  static let key = Self(
    check: "key", annotation: "string", shown: "key", bounds: "1 to \(Bounds.keyBytes) bytes")
  static let name = Self(
    check: "name", annotation: "string", shown: "name", bounds: "1 to \(Bounds.keyBytes) bytes")
  static let names = Self(
    check: "list of names", annotation: "string|string[]", shown: "name, or list of names",
    bounds: "at most \(Bounds.listEntries)")
  static let browsers = Self(
    check: "list of names", annotation: "string|string[]", shown: "name, or list of names",
    bounds: "at most \(ActionLimits.browserChoices)")
  static let title = Self(
    check: "title", annotation: "string|number", shown: "text",
    bounds: "not empty; cut after \(Bounds.titleBytes) bytes")
  static let text = Self(
    check: "text", annotation: "string|number", shown: "text",
    bounds: "cut after \(Bounds.textBytes) bytes")

  static let duration = Self(
    check: "duration", annotation: "netvane.Duration", shown: "duration", bounds: "at most a year")
  static let delay = Self(
    check: "delay", annotation: "netvane.Duration", shown: "duration",
    bounds: "more than nothing, at most a year")
  static let timeout = Self(
    check: "delay", annotation: "netvane.Duration", shown: "duration", bounds: "at most an hour")
  static let settle = Self(
    check: "settle",
    annotation: "netvane.Duration|"
      + "(fun(ctx: netvane.Context, ev: netvane.Event.Path): netvane.Duration)",
    shown: "duration, or function(ctx, ev)", bounds: "at most a day")

  static let severity = choice("severity", PolicyAPI.severity)
  static let status = choice("status", PolicyAPI.status)
  static let method = choice("method", PolicyAPI.method)
  static let interfaceType = choice("interface type", PolicyAPI.filterType)
  static let interfaceTypes = Self(
    check: "list of interface types",
    annotation: "netvane.FilterType|netvane.FilterType[]",
    shown: "interface type, or list of them", bounds: "at most \(Bounds.listEntries)")

  static let monitor = Self(
    check: "monitor", annotation: "string", shown: "name of a monitor of this policy")
  static let during = Self(
    check: "during", annotation: "string|\"always\"", shown: "name of a monitor, or `\"always\"`")
  static let url = Self(
    check: "url", annotation: "string", shown: "http or https URL",
    bounds: "at most \(Bounds.urlBytes) bytes")
  static let body = Self(
    check: "body", annotation: "string", shown: "text",
    bounds: "UTF-8, at most \(Bounds.bodyBytes / 1024) KiB")
  static let statusCode = Self(
    check: "status code", annotation: "integer", shown: "number", bounds: "100 to 599")
  static let arguments = Self(
    check: "list of arguments", annotation: "string|number|(string|number)[]",
    shown: "list of texts",
    bounds: "at most \(Bounds.listEntries), \(Bounds.argumentBytes / 1024) KiB together")
  static let headers = Self(
    check: "headers", annotation: "table<string, string>", shown: "{ name = value }",
    bounds: "at most \(Bounds.headers)")
  static let limit = Self(
    check: "limit", annotation: "string", shown: "limit such as `\"3/1h\"`",
    bounds: "up to 1000 in up to a year")
  static let expectedText = Self(
    check: "expected text", annotation: "string|number", shown: "text",
    bounds: "UTF-8, 1 to \(Bounds.expectedTextBytes) bytes")
  static let expectation = Self(
    check: "expectation", annotation: "integer|netvane.Expectation",
    shown: "number, or { status, contains }")
  static let buttons = Self(
    check: "buttons", annotation: "netvane.Button[]", shown: "list of { id, label }",
    bounds: "at most \(Bounds.buttons)")
  static let function = Self(check: "function", annotation: "function", shown: "function")
  static let monitors = Self(
    check: "table", annotation: "table<string, netvane.Monitor>", shown: "{ name = monitor }",
    bounds: "1 to \(Bounds.monitors)")
  static let every = Self(
    check: "table", annotation: "table<string, netvane.Duration>", shown: "{ name = duration }",
    bounds: "at most \(Bounds.recurringTimers), from 1s on")
  static let migrate = Self(
    check: "function", annotation: "fun(old: table, from: integer): table",
    shown: "function(old, from)")

  // MARK: Made of others

  static func choice(_ check: String, _ choice: PolicyAPI.Choice) -> Self {
    Self(
      check: check, annotation: "netvane.\(choice.name)",
      shown: choice.words.map { "`\($0)`" }.joined(separator: " "))
  }

  /// A word that Netvane writes.
  static func word(_ word: PolicyAPI.Choice) -> Self { choice("string", word) }

  static func list(_ annotation: String, _ shown: String) -> Self {
    Self(check: "table", annotation: "\(annotation)[]", shown: shown)
  }

  static func object(_ className: String, _ shown: String) -> Self {
    Self(check: "table", annotation: "netvane.\(className)", shown: shown)
  }

  static func handler(_ event: String) -> Self {
    Self(
      check: "function",
      annotation: "fun(ctx: netvane.Context, ev: netvane.Event.\(event))",
      shown: "function(ctx, ev)")
  }

  /// Of the reading side: a time that passed, as text.
  static let time = Self(check: "string", annotation: "netvane.Duration", shown: "duration")
}

/// Words of which one is meant.
extension PolicyAPI {
  static let severity = Choice(
    name: "Severity", meaning: "How much an alert matters.",
    words: AlertSeverity.allCases.map(\.rawValue))
  static let status = Choice(
    name: "Status", meaning: "Whether there is a path.",
    words: PathStatus.allCases.map(\.rawValue))
  static let reason = Choice(
    name: "Reason", meaning: "Why the status is what it is.",
    words: PathReason.allCases.map(\.rawValue))
  static let unsatisfiedReason = Choice(
    name: "UnsatisfiedReason", meaning: "The same in the words of Apple's NWPath.",
    words: UnsatisfiedReason.allCases.map(\.rawValue))
  static let interfaceType = Choice(
    name: "InterfaceType", meaning: "What an interface is.",
    words: InterfaceType.allCases.map(\.description))
  static let filterType = Choice(
    name: "FilterType", meaning: "What an interface is, in filters.", words: InterfaceType.words)
  static let method = Choice(
    name: "Method", meaning: "What a request asks of the server.",
    words: HTTPRequest.Method.allCases.map(\.rawValue))
  static let cause = Choice(
    name: "Cause", meaning: "Why there is an event.", words: ChangeCauses.table.map(\.word))
  static let costSource = Choice(
    name: "CostSource", meaning: "Who says what a path costs.",
    words: LinkCost.Source.allCases.map(\.rawValue))
  static let startReason = Choice(
    name: "StartReason", meaning: "Why a policy begins.",
    words: StartReason.allCases.map(\.rawValue))
  static let systemEvent = Choice(
    name: "SystemEvent", meaning: "What happened to the machine, or to Netvane's view of it.",
    words: SystemEvent.allCases.map(\.rawValue))
  static let actionKind = Choice(
    name: "ActionKind", meaning: "What an action does.",
    words: Action.Kind.allCases.map(\.rawValue))

  package static let choices = [
    severity, status, reason, unsatisfiedReason, interfaceType, filterType, method, cause,
    costSource, startReason, systemEvent, actionKind,
  ]
}
