import PathCore

/// Finds the alert that somebody means by `key` or `policy/key`.
struct AlertSearch {
  private let alerts: [EngineStatus.Alert]

  /// Names that are listed when none is near.
  private static let listMost = 8

  init(_ alerts: [EngineStatus.Alert]) { self.alerts = alerts }

  func alert(_ name: String) throws(ControlRefusal) -> EngineStatus.Alert {
    // The whole name is never ambiguous by the key of another.
    if let whole = alerts.first(where: { $0.name == name }) { return whole }
    let found = alerts.filter { $0.content.key == name }
    if found.count == 1, let one = found.first { return one }
    let shown = Self.quoted(name)
    if !found.isEmpty {
      throw ControlRefusal(
        409, "\(shown) is the key of several alerts: \(Self.list(found.map(\.name)))")
    }
    if alerts.isEmpty {
      throw ControlRefusal(404, "there is no alert \(shown), and none else is up")
    }
    let names = alerts.map(\.name)
    if let near = nearestWord(to: name, in: alerts.map(\.content.key) + names) {
      throw ControlRefusal(404, "there is no alert \(shown); did you mean \(LineText.word(near))?")
    }
    throw ControlRefusal(404, "there is no alert \(shown); up are: \(Self.list(names))")
  }

  /// What somebody typed, or its beginning.
  static func quoted(_ text: String) -> String { LineText.quoted(String(text.prefix(80))) }

  static func list(_ names: [String]) -> String {
    let shown = names.prefix(listMost).map { LineText.word($0) }.joined(separator: ", ")
    return names.count > listMost ? "\(shown) and \(names.count - listMost) more" : shown
  }
}

extension EngineStatus.Alert {
  func button(_ id: String) throws(ControlRefusal) -> AlertButton {
    if let button = content.buttons.first(where: { $0.id == id }) { return button }
    let shown = "\(LineText.word(name)) has no button \(AlertSearch.quoted(id))"
    let ids = content.buttons.map(\.id)
    if ids.isEmpty {
      throw ControlRefusal(404, "\(LineText.word(name)) has no buttons; it can be dismissed")
    }
    if let near = nearestWord(to: id, in: ids) {
      throw ControlRefusal(404, "\(shown); did you mean \(LineText.word(near))?")
    }
    throw ControlRefusal(404, "\(shown); it has: \(AlertSearch.list(ids))")
  }
}
