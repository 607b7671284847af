import PathCore
import PathPolicy
import PathTestKit
import Testing

/// What handlers are told is what the table says: each field, its type, and whether it may be nil.
struct APIEventsTests {
  /// Publishes the fields of what each handler is told, as "name:type", those of inner tables as
  /// "ipv4/name:type". Each event is published under a name of its own.
  private static let walker = """
    local p = { api = 1, every = { tick = "10s" } }
    local parts = { interfaces = "list", alternatives = "list", ipv4 = 1, ipv6 = 1, network = 1,
      flaps = 1, uses = 1, changed = 1 }
    local function kind(value) return math.type(value) or type(value) end
    local function walk(t, head, out)
      for key, value in pairs(t) do
        out[#out + 1] = head .. key .. ":" .. kind(value)
        if parts[key] == "list" then
          for _, entry in ipairs(value) do tell_part("interfaces", entry) end
        elseif parts[key] and type(value) == "table" then
          tell_part(key == "ipv6" and "ipv4" or key, value)
        end
      end
      return table.concat(out, " ")
    end
    local count, now = 0, nil
    local function tell(name, t)
      count = count + 1
      now.publish(name .. "#" .. count, walk(t, "", {}))
    end
    tell_part = tell
    local function hear(name)
      return function(ctx, ev)
        now = ctx
        tell(name, ev)
        tell("time", ctx.time)
      end
    end
    for _, name in ipairs { "start", "timer", "button", "dismissed", "result", "system" } do
      p["on_" .. name] = hear(name)
    end
    local start, path = p.on_start, hear("path")
    function p.on_start(ctx, ev)
      start(ctx, ev)
      ctx.exec { key = "k", command = "c" }
      ctx.exec { key = "j", command = "c" }
    end
    function p.on_path(ctx, ev)
      path(ctx, ev)
      ctx.alert.raise { key = "k", title = "t", buttons = { { id = "b", label = "B" } } }
      ctx.timer.start("x", "1s")
    end
    function p.settle(ctx, ev) return "0s" end
    return p
    """

  /// Of each kind of record, the fields of every one that was handed over.
  private static func observe() -> [String: [[String: String]]] {
    let rig = Rig(walker)
    var home = Snapshot.online()
    home.interfaces[1].ssid = "home"
    rig.online()
    rig.offline()
    rig.simulator.feed(.snapshot(home))
    rig.simulator.advance(.seconds(6))
    rig.simulator.feed(.snapshot(.tunnelOverCellular))
    rig.simulator.advance(.seconds(20))
    rig.simulator.feed(.button(policy: "p", key: "k", button: "b"))
    rig.simulator.feed(.dismissed(policy: "p", key: "k"))
    rig.simulator.feed(.gap(detail: "lost"))
    let bad = ActionResult(.failed, error: "x", exitCode: 1, signal: 9, statusCode: 404)
    for (begun, result) in zip(rig.simulator.begun, [.done, bad]) {
      rig.simulator.feed(.result(begun.id, result))
    }
    #expect(rig.faults == [])
    var seen: [String: [[String: String]]] = [:]
    for (name, data) in rig.simulator.published {
      let kind = name.dropFirst(2).prefix { $0 != "#" }
      var fields: [String: String] = [:]
      for word in (PlainReader.decode(data)?.text ?? "").split(separator: " ") {
        let halves = word.split(separator: ":")
        fields[String(halves[0])] = String(halves[1])
      }
      seen[String(kind), default: []].append(fields)
    }
    return seen
  }

  private static let seen = observe()

  /// As Lua calls what is of this kind.
  private func luaType(_ kind: PolicyAPI.Kind) -> String {
    kind.check == "number" ? "integer" : kind.check
  }

  @Test(arguments: PolicyAPI.records + PolicyAPI.parts)
  func `a record has the fields of its group, each with its type`(group: PolicyAPI.Group) throws {
    let all = try #require(Self.seen[group.name], "none was handed over")
    let words = Dictionary(
      uniqueKeysWithValues: group.entries.map { ($0.name, luaType($0.kind)) })
    for fields in all {
      for (name, type) in fields { #expect(words[name] == type, "\(name) is a \(type)") }
    }
    // How things are now is no fact of an event, so it is in none; PendingTests ask for it.
    for entry in group.entries where entry.name != "pending" {
      let count = all.count { $0[entry.name] != nil }
      if entry.isRequired {
        #expect(count == all.count, "\(entry.name) is left out at times")
      } else if !["uses", "changed"].contains(group.name) {
        #expect(count > 0, "\(entry.name) is never handed over")
        if all.count > 1 { #expect(count < all.count, "\(entry.name) is always there") }
      }
    }
  }

  @Test(arguments: PolicyAPI.records) func `a misspelt field is answered with the group's fields`(
    group: PolicyAPI.Group
  ) throws {
    let read = group.name == "time" ? "ctx.time" : "ev"
    let handlers = group.name == "time" ? ["start"] : [group.name]
    let rig = Rig(
      """
      local p = { api = 1 }
      local function hear(ctx, ev) return \(read).zzzzzzzzzzzz end
      for _, name in ipairs { "\(handlers[0])" } do p["on_" .. name] = hear end
      if not p.on_path then
        function p.on_path(ctx)
          ctx.alert.raise { key = "k", title = "t", buttons = { { id = "b", label = "B" } } }
          ctx.timer.start("x", "1s")
          ctx.exec { key = "k", command = "c" }
        end
        p.on_timer = p.on_timer or function() end
      end
      return p
      """)
    rig.online()
    rig.simulator.feed(.button(policy: "p", key: "k", button: "b"))
    rig.simulator.feed(.dismissed(policy: "p", key: "k"))
    rig.simulator.feed(.gap(detail: "lost"))
    rig.simulator.feed(.result(ActionID(policy: "p", key: "k", serial: 1), .done))
    rig.simulator.advance(.seconds(2))
    let message = try #require(rig.faults.first).message
    let start = try #require(message.firstRange(of: "it may be "))
    let names = message[start.upperBound...].split(separator: ", ").map(String.init)
    #expect(names == group.entries.map(\.name).sorted())
  }
}
