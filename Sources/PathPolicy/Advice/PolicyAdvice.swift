package import PathCore

/// What looks wrong in a policy that loads: found in its text without running it. Where the text
/// leaves it open (a key that is worked out, a verb that is handed about), nothing is said.
package struct PolicyAdvice: Hashable, Sendable {
  package var file: String
  /// Zero where it is about the file's name, and not its text.
  package var line: Int
  /// What is wrong, and what to do.
  package var message: String

  package var located: String { line > 0 ? "\(file):\(line): \(message)" : "\(file): \(message)" }

  /// Sorted by line. `grants` are those of the configuration; nil when there is none.
  package static func advice(
    on script: PolicyScript, _ declaration: PolicyDeclaration, grants: Grants?
  ) -> [PolicyAdvice] {
    var reader = PolicyReader(script, declaration)
    reader.lookAtMonitors()
    reader.lookAtHandlers()
    reader.lookAtTimers()
    reader.lookAtAlerts()
    reader.lookAtOwnKeys()
    reader.lookAtGlobals()
    if let grants { reader.lookAtActions(grants) }
    return reader.advice.sorted { ($0.line, $0.message) < ($1.line, $1.message) }
  }

  /// What to say of tests whose policy is not there.
  package static func advice(onTests tests: [String], policies: [String]) -> [PolicyAdvice] {
    tests.compactMap { file in
      let name = String(file.dropLast("_test.lua".count))
      if policies.contains(name) { return nil }
      let near = nearestWord(to: name, in: policies).map { "; is it for \($0).lua?" } ?? ""
      return PolicyAdvice(
        file: file, line: 0,
        message: "there is no \(name).lua for it to test\(near)\(near.isEmpty ? "; rename it" : "")"
      )
    }
  }
}

/// Looks through one policy's text.
struct PolicyReader {
  let own: LuaText
  let declaration: PolicyDeclaration
  /// The policy's text and that of the modules that it may require.
  let all: [LuaText]
  var advice: [PolicyAdvice] = []
  private let mentioned: Set<String>

  init(_ script: PolicyScript, _ declaration: PolicyDeclaration) {
    let text = LuaText(file: script.file, source: script.source)
    own = text
    self.declaration = declaration
    let modules = script.withNeededModules.modules
    all = [text] + modules.map { LuaText(file: $0.file, source: $0.source) }
    var mentioned: Set<String> = []
    for text in all {
      for (place, word) in text.words.enumerated() where word.kind != .number {
        if word.kind != .string || !text.isCompared(at: place) { mentioned.insert(word.text) }
      }
      if text.picksVerbs { mentioned.formUnion(Self.verbs) }
    }
    self.mentioned = mentioned
  }

  /// The words whose absence is told of.
  private static let verbs = [
    "buttons", "exec", "http", "open_url", "raise", "resolve", "retry", "start", "start_once",
  ]

  func mentions(_ words: String...) -> Bool { words.contains { mentioned.contains($0) } }

  mutating func say(_ line: Int, _ message: String) {
    advice.append(PolicyAdvice(file: own.file, line: line, message: message))
  }

  /// Where a handler is written.
  private func line(of word: String) -> Int {
    let isKey = { (place: Int) in own.isName(word, at: place) }
    return own.words.indices.first(where: isKey).map { own.words[$0].line } ?? 1
  }

  // MARK: Handlers

  mutating func lookAtHandlers() {
    let handlers = declaration.handlers
    if handlers.contains(.timer), declaration.every.isEmpty, !mentions("start", "start_once") {
      say(
        line(of: "on_timer"),
        "on_timer never runs: no timer is started and there is no `every`; start one with "
          + "ctx.timer.start, or take on_timer out")
    }
    if handlers.contains(.button), !mentions("buttons") {
      say(
        line(of: "on_button"),
        "on_button never runs: no alert has buttons; give ctx.alert.raise some, or take it out")
    }
    if handlers.contains(.result), !mentions("exec", "http", "open_url", "retry") {
      say(
        line(of: "on_result"),
        "on_result never runs: there is no action (exec, http, open_url, retry); take it out")
    }
    if handlers.contains(.dismissed), !mentions("raise") {
      say(
        line(of: "on_dismissed"),
        "on_dismissed never runs: no alert is raised; raise one with ctx.alert.raise, or take "
          + "on_dismissed out")
    }
    if !handlers.contains(.button), let place = placeOfButtons() {
      say(
        own.words[place].line,
        "nobody hears these buttons: there is no on_button(ctx, ev); write one, or take them out")
    }
  }

  /// The first `buttons = { {`.
  private func placeOfButtons() -> Int? {
    own.words.indices.first { place in
      own.isName("buttons", at: place) && own.isSymbol("=", at: place + 1)
        && own.isSymbol("{", at: place + 2) && own.isSymbol("{", at: place + 3)
    }
  }

  // MARK: Timers

  mutating func lookAtTimers() {
    if declaration.handlers.contains(.timer) { return }
    for place in own.words.indices where own.isCall("timer", ["start", "start_once"], at: place) {
      say(
        own.words[place].line,
        "nobody hears this timer: there is no on_timer(ctx, ev); write one, or do not start it")
      return
    }
  }
}

extension LuaText {
  /// Whether `OBJECT.VERB` stands here and something follows that it is called with.
  func isCall(_ object: String, _ verbs: [String], at place: Int) -> Bool {
    guard isName(object, at: place), isSymbol(".", at: place + 1), let verb = self[place + 2],
      verb.kind == .name, verbs.contains(verb.text), let next = self[place + 3]
    else { return false }
    return next.kind == .string
      || next.kind == .symbol && (next.text == "(" || next.text == "{")
  }

  /// The place of the one argument of a call whose verb is here: `verb "x"`, `verb { … }` or
  /// either in brackets.
  func argument(ofCallAt place: Int) -> Int { isSymbol("(", at: place + 1) ? place + 2 : place + 1 }

  func isCompared(at place: Int) -> Bool {
    [place - 1, place + 1].contains { isSymbol("==", at: $0) || isSymbol("~=", at: $0) }
  }

  /// Whether a verb may be called that is not spelt out, as in `ctx[verb](…)`.
  var picksVerbs: Bool {
    words.indices.contains { place in
      guard let word = self[place], word.kind == .name else { return false }
      return ["ctx", "alert", "timer"].contains(word.text) && isSymbol("[", at: place + 1)
        && plainString(at: place + 2) == nil
    }
  }
}
