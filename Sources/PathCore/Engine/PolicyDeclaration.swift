/// How long a change must hold before a policy hears of it.
package enum SettleRule: Hashable, Sendable {
  /// 250 ms for what does not reach satisfied, nothing for what does.
  case standard
  case fixed(Duration)
  /// The policy's own `settle` function decides for each change.
  case function
}

/// One monitor of a policy.
package struct MonitorDeclaration: Hashable, Sendable {
  package var name: String
  package var filter: PathFilter
  package var settle: SettleRule
  /// When unrest that never settles is reported; nil for the larger of 30 s and 4 × settle.
  package var settleMax: Duration?

  package init(
    name: String, filter: PathFilter = .none, settle: SettleRule = .standard,
    settleMax: Duration? = nil
  ) {
    self.name = name
    self.filter = filter
    self.settle = settle
    self.settleMax = settleMax
  }
}

/// A timer that comes back.
package struct RecurringTimer: Hashable, Sendable {
  package var name: String
  package var period: Duration

  package init(name: String, period: Duration) {
    self.name = name
    self.period = period
  }
}

/// The functions a policy may define.
package enum Handler: String, CaseIterable, Hashable, Sendable {
  case settle
  case start = "on_start"
  case path = "on_path"
  case timer = "on_timer"
  case button = "on_button"
  case dismissed = "on_dismissed"
  case result = "on_result"
  case system = "on_system"
}

/// What a policy file says about itself: all the engine knows of it besides its answers.
package struct PolicyDeclaration: Hashable, Sendable {
  package var name: String
  package var about: String
  package var isEnabled: Bool
  /// Sorted by name.
  package var monitors: [MonitorDeclaration]
  /// Sorted by name.
  package var every: [RecurringTimer]
  package var handlers: Set<Handler>
  /// Where they begin in the policy's file, as far as that is where they are.
  package var lines: [Handler: Int]
  /// What `ctx.state` holds before the policy changed it.
  package var state: PlainData
  /// Of the state's form; 0 when the text says none.
  package var version: Int64

  package init(
    name: String, about: String = "", isEnabled: Bool = true,
    monitors: [MonitorDeclaration] = [MonitorDeclaration(name: "internet")],
    every: [RecurringTimer] = [], handlers: Set<Handler> = [.path], lines: [Handler: Int] = [:],
    state: PlainData = .emptyMap, version: Int64 = 0
  ) {
    self.name = name
    self.about = about
    self.isEnabled = isEnabled
    self.monitors = monitors
    self.every = every
    self.handlers = handlers
    self.lines = lines
    self.state = state
    self.version = version
  }

  /// The line that stands for a handler as a whole.
  func line(of handler: Handler) -> Int { lines[handler] ?? 1 }
}
