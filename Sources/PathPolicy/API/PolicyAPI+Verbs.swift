/// What `ctx` has: the verbs, and the tables that they take.
extension PolicyAPI {
  static let alert = Group(
    name: "alert", className: "Alert", meaning: "What `ctx.alert.raise` takes.",
    entries: [
      .must("key", .key, "names the alert; raised again it is updated"),
      .must("title", .title, "one line"), .may("body", .text, "more of it", standard: "\"\""),
      .may("severity", .severity, "how much it matters", standard: "\"info\""),
      .may("expires", .delay, "it goes by itself after this"),
      .may("buttons", .buttons, "what `on_button` may hear"),
      .may("channel", .name, "where it is shown, for those who show alerts"),
    ])
  static let button = Group(
    name: "button", className: "Button", meaning: "One entry of `buttons`.",
    entries: [
      .must("id", .key, "what `ev.button` is"), .must("label", .title, "what people read"),
    ])
  static let timer = Group(
    name: "timer", className: "TimerOptions", meaning: "The third argument of `ctx.timer.start`.",
    entries: [
      .may("until_change", .monitor, "it ends without firing when this monitor tells a change"),
      .may("across_reboot", .boolean, "it goes on after a reboot", standard: "false"),
    ])

  /// What may be said of each action.
  private static let conditions: [Entry] = [
    .may(
      "only_while", .status,
      "not begun while the path has another status, told or not; dropped from the queue when "
        + "another is told"),
    .may("limit", .limit, "so many runs in any such stretch of time"),
  ]

  static let exec = Group(
    name: "exec", className: "Exec", meaning: "What `ctx.exec` takes.",
    entries: [
      .must("key", .key, "one of a key is at work, one waits behind it"),
      .must("command", .name, "what the configuration grants under this name"),
      .may("args", .arguments, "go behind the granted arguments", standard: "{}"),
      .may("timeout", .timeout, "it is ended after this", standard: "\"30s\""),
      .may("disturbs", .delay, "so long, changes of the network are its doing"),
    ] + conditions)
  static let openURL = Group(
    name: "open_url", className: "OpenURL", meaning: "What `ctx.open_url` takes.",
    entries: [
      .must("key", .key, "one of a key is at work, one waits behind it"),
      .must("url", .url, "of a host that is granted"),
      .may(
        "browser", .browsers,
        "the first of these that is installed, such as `{ \"chrome\", \"default\" }`"),
      .may("cooldown", .duration, "not sooner than this after the last time", standard: "\"0s\""),
    ] + conditions)
  static let http = Group(
    name: "http", className: "HTTP", meaning: "What `ctx.http` takes.",
    entries: [
      .must("key", .key, "one of a key is at work, one waits behind it"),
      .must("url", .url, "of a host that is granted"),
      .may("method", .method, "what is asked of the server", standard: "\"GET\""),
      .may("body", .body, "what is sent"), .may("headers", .headers, "more lines of the request"),
      .may("expect", .expectation, "what a good answer is", standard: "200 to 299"),
      .may("interface", .name, "to send through this one"),
      .may("timeout", .timeout, "it is given up after this", standard: "\"10s\""),
    ] + conditions)
  static let expectation = Group(
    name: "expectation", className: "Expectation", meaning: "The table form of `expect`.",
    entries: [
      .may("status", .statusCode, "of the answer", standard: "200 to 299"),
      .may("contains", .expectedText, "a piece of the body"),
    ])
  static let retry = Group(
    name: "retry", className: "Retry",
    meaning:
      "What `ctx.retry` takes: one of `exec`, `http` and `open_url`, tried until it succeeds.",
    entries: [
      .must("key", .key, "the action's; the tables below leave theirs out"),
      .may("exec", inner("Exec", "exec"), "as `ctx.exec` takes it"),
      .may("http", inner("HTTP", "http"), "as `ctx.http` takes it"),
      .may("open_url", inner("OpenURL", "open_url"), "as `ctx.open_url` takes it"),
      .may("base", .delay, "the first wait; it doubles with each failure", standard: "\"1s\""),
      .may("cap", .delay, "the longest wait", standard: "\"2m\""),
      .may("attempts", .version, "so many tries at most"),
      .may("within", .delay, "given up after so long, pauses left out"),
      .may(
        "during", .during, "it pauses while this path is gone", standard: "the first monitor"),
      .may("now", .boolean, "the first try does not wait", standard: "false"),
    ] + conditions)

  private static func inner(_ name: String, _ shown: String) -> Kind {
    Kind(check: "table", annotation: "netvane.\(name)Action", shown: "table")
  }

  /// What policies write; in the order of the reference.
  package static let tables = [
    policy, monitor, alert, button, timer, exec, openURL, http, expectation, retry,
  ]
  /// Those of `tables` that a retry may hold, without their key.
  static let actions = [exec, openURL, http]

  // MARK: ctx

  private static func argument(_ group: Group) -> [Entry] {
    [.must("options", .object(group.className, "table"), group.meaning)]
  }

  package static let context = Toolbox(
    name: "ctx", className: "Context", meaning: "What a handler can do.",
    fields: [
      .must("config", .table, "the settings, read only"),
      .must("state", .table, "what the policy keeps; it outlives the process"),
      .must(
        "time", .object("Time", "{ hour, minute, weekday, date, zone }"), "the clock on the wall"),
      .must("alert", .object("Context.Alert", "verbs"), "alerts"),
      .must("timer", .object("Context.Timer", "verbs"), "timers"),
    ],
    verbs: [
      Verb(
        "path", [.must("monitor", .monitor, "")], returns: .object("Event.Path", "event"),
        "the last event of a monitor, or nil"),
      Verb(
        "publish", [.must("name", .name, ""), .must("value", .any, "")],
        "a value for others to observe; told when it differs (keys are UTF-8)"),
      Verb("log", [.must("...", .any, "")], "a line for people"),
      Verb("exec", argument(exec), "runs a command that the configuration grants"),
      Verb("open_url", argument(openURL), "shows a page"),
      Verb("http", argument(http), "sends a request"),
      Verb("retry", argument(retry), "tries one of these again until it succeeds"),
      Verb("cancel", [.must("key", .key, "")], "ends an action, and what waits behind it"),
    ])
  package static let contextAlert = Toolbox(
    name: "ctx.alert", className: "Context.Alert", meaning: "Alerts.",
    verbs: [
      Verb("raise", argument(alert), "shows an alert, or changes the one of this key"),
      Verb("resolve", [.must("key", .key, "")], "ends an alert; nothing happens if there is none"),
      Verb("active", [.must("key", .key, "")], returns: .boolean, "whether it is up"),
    ])
  private static let start: [Entry] = [
    .must("name", .name, ""), .must("duration", .delay, ""),
    .may("options", .object("TimerOptions", "table"), ""),
  ]
  package static let contextTimer = Toolbox(
    name: "ctx.timer", className: "Context.Timer", meaning: "Timers, by name.",
    verbs: [
      Verb("start", start, "starts a timer, anew if it runs"),
      Verb("start_once", start, "starts it unless it runs"),
      Verb("cancel", [.must("name", .name, "")], "ends it"),
      Verb("active", [.must("name", .name, "")], returns: .boolean, "whether it runs"),
    ])

  package static let contextToolboxes = [context, contextAlert, contextTimer]
}
