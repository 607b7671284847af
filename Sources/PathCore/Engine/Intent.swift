/// How much an alert matters.
package enum AlertSeverity: String, CaseIterable, Hashable, Sendable {
  case info, warning, critical
}

/// A button of an alert.
package struct AlertButton: Hashable, Sendable {
  package var id: String
  package var label: String

  package init(id: String, label: String) {
    self.id = id
    self.label = label
  }
}

/// What an alert says. Two raises of one key with equal content are one alert.
package struct AlertContent: Hashable, Sendable {
  package var key: String
  package var severity: AlertSeverity
  package var title: String
  package var body: String
  package var buttons: [AlertButton]
  package var channel: String

  package init(
    key: String, severity: AlertSeverity = .info, title: String, body: String = "",
    buttons: [AlertButton] = [], channel: String = ""
  ) {
    self.key = key
    self.severity = severity
    self.title = title
    self.body = body
    self.buttons = buttons
    self.channel = channel
  }
}

/// A decision of a handler. All of one handler's intents take effect, or none.
package enum Intent: Hashable, Sendable {
  case raise(AlertContent, expires: Duration?)
  case resolve(key: String)
  case startTimer(TimerRequest)
  case cancelTimer(name: String)
  case publish(name: String, PlainData)
  case log(String)
  // Large and rare: behind a reference, so that the others stay small to pass on.
  indirect case act(ActionRequest)
  case cancelAction(key: String)
}

/// A named timer that a policy asks for.
package struct TimerRequest: Hashable, Sendable {
  package var name: String
  package var after: Duration
  /// Leaves a running timer of this name alone.
  package var isOnce: Bool
  /// Ends without firing when this monitor delivers a change.
  package var untilChange: String?
  package var acrossReboot: Bool

  package init(
    name: String, after: Duration, isOnce: Bool = false, untilChange: String? = nil,
    acrossReboot: Bool = false
  ) {
    self.name = name
    self.after = after
    self.isOnce = isOnce
    self.untilChange = untilChange
    self.acrossReboot = acrossReboot
  }
}
