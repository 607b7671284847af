/// The policy table, and what its handlers are told.
extension PolicyAPI {
  static let policy = Group(
    name: "policy", className: "Policy", meaning: "What a policy file returns.",
    entries: [
      .must("api", .number, "the version of this API: 1"),
      .may("description", .string, "one line for people"),
      .may("enabled", .boolean, "false: listed, not run", standard: "true"),
      .may(
        "monitors", .monitors, "what is watched, each with a filter of its own",
        standard: "{ internet = {} }"),
      .may(
        "settle", .settle,
        "how long a change must hold before `on_path` hears of it; a function is asked each time",
        standard: "\"250ms\", nothing for what becomes satisfied"),
      .may(
        "config", .data, "settings and their defaults; the operator's values go over them",
        standard: "{}"),
      .may("state", .data, "what `ctx.state` holds at first", standard: "{}"),
      .may("version", .version, "of the form of the state"),
      .may("migrate", .migrate, "returns the new state for one of an older `version`"),
      .may("every", .every, "timers that come back; `on_timer` hears them"),
    ] + handlers)

  static let handlers: [Entry] = [
    .may("on_start", .handler("Start"), "the policy begins"),
    .may("on_path", .handler("Path"), "a change has held"),
    .may("on_timer", .handler("Timer"), "a timer fires"),
    .may("on_button", .handler("Button"), "somebody pressed a button of an alert"),
    .may("on_dismissed", .handler("Dismissed"), "somebody closed an alert"),
    .may("on_result", .handler("Result"), "an action ended, or was given up"),
    .may("on_system", .handler("System"), "the machine slept or woke, or news was lost"),
  ]

  static let monitor = Group(
    name: "monitor", className: "Monitor", meaning: "One entry of `monitors`.",
    entries: [
      .may("required", .interfaceType, "only interfaces of this type count, at any layer"),
      .may("prohibited", .interfaceTypes, "interfaces of these types do not count", standard: "{}"),
      .may("interface", .name, "only this one counts: a name, an altname or a pattern (`wlan*`)"),
      .may("ignore", .names, "these do not count, such as one's own tunnel", standard: "{}"),
      .may(
        "bound", .boolean, "ask what a program bound to an interface would get", standard: "false"),
      .may("settle", .settle, "for this monitor instead of the policy's"),
      .may(
        "settle_max", .duration,
        "a path that keeps changing is reported after this long, and again each time it has passed",
        standard: "the larger of \"30s\" and four times settle"),
    ])

  // MARK: Events

  static let pathEvent = Group(
    name: "path", className: "Event.Path", meaning: "`ev` of `on_path` and of `settle`.",
    entries: [
      .must("monitor", .string, "whose path it is"),
      .must("status", .word(status), "whether there is a path"),
      .must("reason", .word(reason), "why not, in one word"),
      .must("why", .string, "a sentence for people"),
      .must("unsatisfied_reason", .word(unsatisfiedReason), "the same in Apple's words"),
      .may("interface", .string, "the name of the one that carries"),
      .may("type", .word(interfaceType), "its type"),
      .must("interfaces", .list("netvane.Interface", "list of interfaces"), "best first"),
      .must(
        "alternatives", .list("netvane.Interface", "list of interfaces"),
        "what could serve but is not chosen"),
      .must("uses", .object("Uses", "set of types"), "types in use, what tunnels ride on included"),
      .may("ipv4", .object("Family", "{ interface, gateway, tunnel }"), "how IPv4 leaves"),
      .may("ipv6", .object("Family", "{ interface, gateway, tunnel }"), "how IPv6 leaves"),
      .must("gateways", .list("string", "list of texts"), "their addresses"),
      .must(
        "dns", .boolean,
        "whether a server that resolv.conf names can be routed to; not whether it answers"),
      .may("expensive", .boolean, "whether it costs money; nil when not satisfied"),
      .may("expensive_source", .word(costSource), "who says so"),
      .may("constrained", .boolean, "whether it is to be spared; nil when not satisfied"),
      .must(
        "network", .object("Network", "{ id, name, ssid }"), "which network it is, where known"),
      .must("initial", .boolean, "whether this is the first verdict"),
      .must("changed", .object("Changed", "set of causes"), "what differs from `previous`"),
      .must("causes", .list("netvane.Cause", "list of causes"), "why there is an event"),
      .must(
        "flaps", .object("Flaps", "{ last_1m, last_10m, last_1h }"), "changes of status so far"),
      .may("since", .time, "how long the previous status lasted"),
      .may(
        "previous", .object("Event.Path", "event"), "the event before, without its own previous"),
      .may(
        "pending", .word(status),
        "the status that waits to be told, as of now, if it is another; not in a `settle`"),
      .must("sequence", .number, "counts the events of a monitor"),
      .must("time", .string, "when, as RFC 3339 writes it"),
      .must("self_inflicted", .boolean, "whether an action that `disturbs` explains it"),
    ])

  static let startEvent = Group(
    name: "start", className: "Event.Start", meaning: "`ev` of `on_start`.",
    entries: [.must("reason", .word(startReason), "the machine started, Netvane did, or an edit")])
  static let timerEvent = Group(
    name: "timer", className: "Event.Timer", meaning: "`ev` of `on_timer`.",
    entries: [
      .must("name", .string, "the timer's"),
      .must("late", .time, "how long after its time, as when the machine slept"),
    ])
  static let buttonEvent = Group(
    name: "button", className: "Event.Button", meaning: "`ev` of `on_button`.",
    entries: [
      .must("key", .string, "the alert's"), .must("button", .string, "the button's id"),
    ])
  static let dismissedEvent = Group(
    name: "dismissed", className: "Event.Dismissed", meaning: "`ev` of `on_dismissed`.",
    entries: [.must("key", .string, "the alert's")])
  static let resultEvent = Group(
    name: "result", className: "Event.Result", meaning: "`ev` of `on_result`.",
    entries: [
      .must("key", .string, "the action's"), .must("kind", .word(actionKind), "what it was"),
      .must("ok", .boolean, "whether it went well"),
      .must("refused", .boolean, "whether it was not allowed, as when it is not granted"),
      .must("dropped", .boolean, "whether it was given up: cancelled, or replaced by a newer one"),
      .must("attempt", .number, "which try it was, from 1 on; 0: it was never begun"),
      .must("output", .string, "the beginning of what it wrote, or of the answer"),
      .may("error", .string, "what went wrong, a sentence for people"),
      .may("exit", .number, "the command's exit code"),
      .may("signal", .number, "what ended the command"),
      .may("status_code", .number, "of the server's answer"),
    ])
  static let systemEventFields = Group(
    name: "system", className: "Event.System", meaning: "`ev` of `on_system`.",
    entries: [.must("what", .word(systemEvent), "what happened")])
  static let wallTime = Group(
    name: "time", className: "Time", meaning: "`ctx.time`: the clock on the wall.",
    entries: [
      .must("hour", .number, "0 to 23"), .must("minute", .number, "0 to 59"),
      .must("weekday", .number, "1 is Monday, 7 is Sunday"),
      .must("date", .string, "such as 2026-05-01"), .must("zone", .string, "such as CEST"),
    ])

  /// What handlers are handed, and `ctx.time`.
  package static let records = [
    pathEvent, startEvent, timerEvent, buttonEvent, dismissedEvent, resultEvent, systemEventFields,
    wallTime,
  ]

  /// Tables inside of events.
  package static let parts = [
    Group(
      name: "interfaces", className: "Interface",
      meaning: "One entry of `ev.interfaces` and `ev.alternatives`.",
      entries: [
        .must("name", .string, "as the kernel calls it"),
        .must("type", .word(interfaceType), "what it is"),
        .must("kind", .string, "the kernel's word for its kind, such as `wireguard`, or empty"),
        .must("tunnel", .boolean, "whether it is one"),
        .may("underlay", .string, "what the tunnel rides on"),
      ]),
    Group(
      name: "ipv4", className: "Family", meaning: "`ev.ipv4` and `ev.ipv6`.",
      entries: [
        .must("interface", .string, "its name"), .must("tunnel", .boolean, "whether it is one"),
        .may("gateway", .string, "its address"),
      ]),
    Group(
      name: "network", className: "Network", meaning: "`ev.network`.",
      entries: [
        .may("id", .string, "tells one network from another"),
        .may("name", .string, "for people"), .may("ssid", .string, "of Wi-Fi"),
      ]),
    Group(
      name: "flaps", className: "Flaps",
      meaning: "`ev.flaps`: changes of status as the kernel showed them, told or not.",
      entries: [
        .must("last_1m", .number, "in the last minute"),
        .must("last_10m", .number, "in the last ten minutes"),
        .must("last_1h", .number, "in the last hour"),
      ]),
    Group(
      name: "uses", className: "Uses", meaning: "`ev.uses`: true for each type in use.",
      entries: interfaceType.words.map { .may($0, .boolean, "") }),
    Group(
      name: "changed", className: "Changed", meaning: "`ev.changed`: true for what differs.",
      entries: cause.words.filter { $0 != "resumed" && $0 != "resync" }.map {
        .may($0, .boolean, "")
      }),
  ]
}
