/// What a test finds: `t`, which `require "policy.test"` gives, and what cases are handed.
extension PolicyAPI {
  private static let caseBody = Kind(
    check: "function", annotation: "fun(sim: netvane.test.Sim)", shown: "function(sim)")
  private static let rowBody = Kind(
    check: "function", annotation: "fun(sim: netvane.test.Sim, row: table)",
    shown: "function(sim, row)")
  private static let drawnBody = Kind(
    check: "function", annotation: "fun(sim: netvane.test.Sim, gen: netvane.test.Gen)",
    shown: "function(sim, gen)")
  private static let run = Kind(check: "table", annotation: "any[][]", shown: "list of steps")
  private static let time = Kind.duration
  private static let interface: Entry = .must("interface", .string, "")

  private static func options(_ group: Group) -> [Entry] {
    [.must("options", .object(group.className, "table"), group.meaning)]
  }

  private static func mayOptions(_ group: Group) -> [Entry] {
    [.may("options", .object(group.className, "table"), group.meaning)]
  }

  static let testFile = Toolbox(
    name: "t", className: "test.T", meaning: "What `require \"policy.test\"` gives.",
    verbs: [
      Verb("case", [.must("name", .string, ""), .must("body", caseBody, "")], "one case"),
      Verb(
        "table",
        [
          .must("name", .string, ""), .must("rows", .list("table", ""), ""),
          .must("body", rowBody, ""),
        ],
        "a case for each row; `row.name` is part of its name"),
      Verb(
        "property",
        [
          .must("name", .string, ""),
          .may("options", .object(propertyOptions.className, "table"), ""),
          .must("body", drawnBody, ""),
        ],
        "a case over many drawn runs; one that fails is shortened"),
      Verb(
        "example", [.must("property", .string, ""), .must("runs", .list("any", ""), "")],
        returns: caseBody, "the body for `t.case` that runs a property with what was drawn before"),
      Verb("check", [.must("holds", .any, ""), .may("message", .string, "")], "fails unless true"),
      Verb(
        "equal", [.must("got", .any, ""), .must("wanted", .any, ""), .may("message", .string, "")],
        "fails unless both are the same"),
    ])

  static let simulation = Toolbox(
    name: "sim", className: "test.Sim", meaning: "The world of one case.",
    verbs: [
      Verb("config", [.must("settings", .table, "")], "the operator's settings; before the start"),
      Verb(
        "network", [.must("interfaces", .table, "")], returns: .object("test.Net", "`net`"),
        "the network, by interface (and `dns`: a list, or false); starts the policy"),
      Verb("path", options(testPath), "a network that gives such a path, instead of one by name"),
      Verb("advance", [.must("time", time, "")], "time passes"),
      Verb("sleep", [.must("time", time, "")], "the machine sleeps and wakes"),
      Verb("overrun", [], "news of the kernel was lost"),
      Verb("press", [.must("key", .string, ""), .must("button", .string, "")], "presses a button"),
      Verb("dismiss", [.must("key", .string, "")], "closes an alert"),
      Verb(
        "finish_action", [.must("key", .string, "")] + mayOptions(testResult), "ends an action"),
      Verb(
        "reload", mayOptions(testReload),
        "the text is loaded again; state, timers and alerts go on"),
      Verb(
        "restart", mayOptions(testRestart),
        "Netvane is killed, and started with what it kept; published values are told again"),
      Verb("play", [.must("run", run, "")], "does the steps of a drawn run"),
      Verb(
        "expect", options(testExpectation), "what must hold now; the rest may be so or so"),
      Verb(
        "expect_soft", options(testExpectation),
        "the same, but the case goes on when it fails; all that failed is listed at its end"),
      Verb(
        "expect_count", [.must("event", .word(testEvent), ""), .must("count", .number, "")],
        "how often it happened so far"),
      Verb(
        "count", [.must("event", .word(testEvent), "")], returns: .number, "how often it happened"),
      Verb("mark", [], "what happens from here on counts for the next two"),
      Verb("expect_nothing", [], "nothing happened since the mark, or the start"),
      Verb(
        "expect_order", [.must("events", .list("netvane.TestEvent", ""), "")],
        "these happened in this order"),
      Verb(
        "expect_fuel", [.must("handler", .string, ""), .must("most", .number, "")],
        "no call of a handler took more"),
      Verb("expect_fault", [.must("text", .string, "")], "the policy failed, and says this"),
    ])

  static let network = Toolbox(
    name: "net", className: "test.Net", meaning: "The network of one case.",
    verbs: [
      Verb(
        "drop", [interface],
        "its link loses the carrier and no more: a default route by it stays, dead, and no other "
          + "interface takes over; for that take `net.down` or `net.remove`"),
      Verb("restore", [interface], "and has it again"),
      Verb("down", [interface], "it is switched off"),
      Verb("up", [interface], "it is switched on, with its addresses and routes"),
      Verb("join", [interface] + options(testJoin), "it is in another network"),
      Verb("roam", [interface] + options(testJoin), "the same, after a dormant moment"),
      Verb("add", [interface] + options(testInterface), "a new interface"),
      Verb("remove", [interface], "it is gone"),
      Verb("metered", [interface, .must("is", .boolean, "")], "whether it costs money"),
      Verb("constrained", [interface, .must("is", .boolean, "")], "whether it is to be spared"),
      Verb(
        "captive", [interface, .must("is", .boolean, "")], "whether requests meet a login page"),
      Verb("block", [interface, .must("is", .boolean, "")], "whether its radio is off"),
      Verb("vpn", options(testTunnel), "a tunnel"),
      Verb(
        "dns",
        [
          .may(
            "servers", Kind(check: "any", annotation: "string[]|false", shown: "list, or false"), ""
          )
        ],
        "the name servers; false: none"),
    ])

  static let generator = Toolbox(
    name: "gen", className: "test.Gen", meaning: "What a property draws.",
    verbs: [
      Verb(
        "integer", [.must("low", .number, ""), .must("high", .number, "")], returns: .number,
        "a number"),
      Verb("pick", [.must("list", .list("any", ""), "")], returns: .any, "one of a list"),
      Verb(
        "duration", [.must("low", time, ""), .must("high", time, "")], returns: time, "a duration"),
      Verb("flaps", mayOptions(drawnFlaps), returns: run, "a run: an interface comes and goes"),
      Verb("roaming", mayOptions(drawnRoaming), returns: run, "a run: from network to network"),
      Verb("sleep", mayOptions(drawnSleep), returns: run, "a run: the machine sleeps and wakes"),
    ])

  package static let testToolboxes = [testFile, simulation, network, generator]
}

/// The tables that tests write.
extension PolicyAPI {
  private static let texts = Kind(
    check: "any", annotation: "string|string[]", shown: "text, or list of texts")

  static let propertyOptions = Group(
    name: "property", className: "test.Property", meaning: "The second argument of `t.property`.",
    entries: [
      .may("runs", .number, "how many", standard: "100"),
      .may("seed", .number, "what is drawn from", standard: "that of `--seed`"),
    ])
  static let testInterface = Group(
    name: "interface", className: "test.Interface",
    meaning: "One interface of `sim.network`, and what `net.add` takes.",
    entries: [
      .may("type", .word(interfaceType), "what it is", standard: "\"wired\""),
      .may("kind", .string, "`device`, `virtual`, `tun` or `wireguard`", standard: "\"device\""),
      .may("address", texts, "with the prefix, as in `192.0.2.10/24`"),
      .may("gateway", texts, "where its default routes lead"),
      .may(
        "metric", .number, "of its default routes", standard: "100 wired, 600 wifi, 700 cellular"),
      .may("ssid", .string, "of Wi-Fi"), .may("expensive", .boolean, "whether it costs money"),
      .may("constrained", .boolean, "whether it is to be spared"),
    ])
  static let testJoin = Group(
    name: "join", className: "test.Join", meaning: "What `net.join` and `net.roam` take.",
    entries: [
      .may("ssid", .string, "of Wi-Fi"), .may("address", texts, "with the prefix"),
      .may("gateway", texts, "where the default routes lead"),
    ])
  static let testTunnel = Group(
    name: "vpn", className: "test.Tunnel", meaning: "What `net.vpn` takes.",
    entries: [
      .must("name", .string, "the tunnel's"), .must("over", .string, "what it rides on"),
      .may("address", texts, "with the prefix"), .may("gateway", texts, "through it"),
      .may("metric", .number, "of its default routes", standard: "50"),
    ])
  static let testPath = Group(
    name: "path", className: "test.Path", meaning: "What `sim.path` takes.",
    entries: [
      .may("status", .word(status), "whether there is a path", standard: "\"satisfied\""),
      .may("type", .word(interfaceType), "of what carries", standard: "\"wifi\""),
      .may("expensive", .boolean, "whether it costs money"),
      .may("constrained", .boolean, "whether it is to be spared", standard: "false"),
      .may("dns", .boolean, "whether names can be resolved", standard: "true"),
      .may("ssid", .string, "of Wi-Fi"),
    ])
  static let testResult = Group(
    name: "finish_action", className: "test.Result", meaning: "How an action ends.",
    entries: [
      .may("ok", .boolean, "whether it went well", standard: "true without `error`"),
      .may("error", .string, "what went wrong"),
      .may("refused", .boolean, "whether it was not allowed", standard: "false"),
      .may("exit", .number, "a command's exit code"), .may("output", .string, "what it wrote"),
      .may("status_code", .number, "of a server's answer"),
    ])
  private static let newConfig = Entry.may(
    "config", .table, "the operator's settings from then on, as of `sim.config`",
    standard: "as before")
  static let testReload = Group(
    name: "reload", className: "test.Reload", meaning: "What `sim.reload` takes.",
    entries: [newConfig])
  static let testRestart = Group(
    name: "restart", className: "test.Restart", meaning: "What `sim.restart` takes.",
    entries: [
      .may("reboot", .boolean, "whether the machine starts anew, too", standard: "false"),
      .may("after", time, "how long nothing runs", standard: "\"0s\""), newConfig,
    ])
  static let testExpectation = Group(
    name: "expect", className: "test.Expectation",
    meaning:
      "What `sim.expect` takes. What is not named may be so or so; an empty list means none.",
    entries: [
      .may("alerts", .list("table", "list of alerts"), "those that are up"),
      .may("published", .table, "values by name"),
      .may("timers", .list("any", "list of names, or of { name, left }"), "those that run"),
      .may(
        "actions", .list("netvane.test.Action", "list of actions"), "those at work, as below"),
      .may("log", .list("string", "list of texts"), "lines that were logged"),
      .may(
        "path", .table,
        "the last event, or that of `monitor`: fields of `ev`, `self_inflicted` too"),
    ])
  static let testAction = Group(
    name: "actions", className: "test.Action", meaning: "One action that `sim.expect` names.",
    entries: [
      .may("key", .string, "its key"), .may("kind", .string, "`exec`, `open_url` or `http`"),
      .may("command", .string, "of `exec`"),
      .may("args", .list("string", "list of texts"), "of `exec`"),
      .may("url", .string, "of `open_url` and `http`"), .may("method", .string, "of `http`"),
      .may("browser", texts, "of `open_url`: those to choose from"),
      .may("timeout", time, "of `exec` and `http`, their default included"),
      .may("disturbs", time, "so long, changes are its doing"),
      .may("limit", .string, "how often it may run, as in `3/1h`"),
    ])
  static let drawnFlaps = Group(
    name: "flaps", className: "test.Flaps", meaning: "What `gen.flaps` takes.",
    entries: [
      .may("events", .number, "how many", standard: "20"),
      .may("max_gap", time, "the longest rest", standard: "\"30s\""),
      .may("interface", .string, "which", standard: "the first"),
    ])
  static let drawnRoaming = Group(
    name: "roaming", className: "test.Roaming", meaning: "What `gen.roaming` takes.",
    entries: [
      .may("moves", .number, "how many", standard: "10"),
      .may("networks", .number, "how many there are", standard: "3"),
      .may("max_gap", time, "the longest rest", standard: "\"5m\""),
      .may("interface", .string, "which", standard: "the first"),
    ])
  static let drawnSleep = Group(
    name: "sleep", className: "test.Sleep", meaning: "What `gen.sleep` takes.",
    entries: [
      .may("times", .number, "how often", standard: "5"),
      .may("max_sleep", time, "the longest sleep", standard: "\"12h\""),
      .may("max_gap", time, "the longest time awake", standard: "\"1h\""),
    ])

  package static let testEvent = Choice(
    name: "TestEvent", meaning: "What a test counts.",
    words: ["raised", "updated", "dismissed", "expired", "resolved"].map { "alert.\($0)" }
      + status.words.map { "path.\($0)" }
      + ["started", "waiting", "succeeded", "failed", "refused", "dropped"].map { "action.\($0)" }
      + ["published", "log", "fault"])

  package static let testTables = [
    propertyOptions, testInterface, testJoin, testTunnel, testPath, testResult, testReload,
    testRestart, testExpectation, testAction, drawnFlaps, drawnRoaming, drawnSleep,
  ]
}
