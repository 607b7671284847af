import PathCore

/// What the reference says besides its tables.
extension APIReference {
  static let introduction = """
    # The policy API, version \(PolicyAPI.version)

    A policy is one Lua 5.4 file that returns a table. Nothing happens at load: handlers decide,
    and what a handler decides takes effect as a whole when it returns, or not at all if it fails.

    ```lua
    ---@type netvane.Policy
    local policy = {
      api = 1,
      description = "Publishes what carries, and tells of an outage that lasts.",
      config = { grace = "2s" },
    }

    function policy.settle(ctx, ev)
      return ev.status == "satisfied" and "0s" or ctx.config.grace
    end

    function policy.on_path(ctx, ev)
      ctx.publish("carrier", ev.interface or "none")
      if ev.status == "satisfied" then
        ctx.alert.resolve "offline"
      else
        ctx.alert.raise { key = "offline", title = "No connection", body = ev.why }
      end
    end

    return policy
    ```

    `netvane new NAME` writes one to start from, with a test; `netvane check DIR` looks policies
    over; `netvane test DIR` runs their tests. An unknown key, a wrong type or a bad duration is
    an error with its file and line, and with the word that was probably meant.

    - **Verbs** are called with a dot: `ctx.alert.raise { … }`, not with a colon.
    - **Durations** are texts such as `"250ms"`, `"10s"`, `"1m30s"` or `"1d"`. What is shorter
      than a millisecond, but not nothing, is a millisecond.
    - **Names, not closures:** alerts, timers and actions belong to Netvane and are known by key
      or name. They outlive a reload, a crash and a restart.
    """

  static let settling = """
    **Settling.** A change must hold before a policy hears of it, and `settle` says how long. The
    deadline belongs to the status: another change with the same status keeps it, a change of
    status starts it anew, and back at what was told last nothing happened. While a change waits,
    no alert of the policy expires: a "back online" banner cannot hide the next outage.

    ```lua
    monitors = { internet = {}, cable = { required = "wired", settle = "10s" } }
    ```
    """

  static let handlers = """
    Each handler is called with `ctx` and `ev`. Both serve this one call. A field that does not
    exist is an error, not nil.

    ```lua
    function policy.on_path(ctx, ev)
      if ev.monitor == "internet" and ev.changed.status and not ev.initial then
        ctx.log("it was " .. ev.previous.status .. " for " .. ev.since)
      end
    end
    ```
    """

  static let actions = """
    ## Actions

    An action has a key: one of a key is at work and one waits behind it; a newer one takes the
    place of the one that waits, and whoever loses is told (`on_result`, `ev.dropped`). An action
    that shakes the network itself says `disturbs = "40s"`: changes in that time are marked
    `ev.self_inflicted`.

    Of each policy \(ActionLimits.runningPerPolicy) actions are at work at a time, of all policies
    \(ActionLimits.running). The others wait for their turns, those of a policy that has none at
    work first. Waiting does not count for `limit` or `within`; `only_while` is looked at again
    when an action's turn comes.

    A retry waits between half and the whole of a delay that doubles from `base` to `cap`; it
    pauses while the path that `during` names is gone, and goes on within two seconds of its
    return.

    ```lua
    ctx.retry { key = "page", now = true, attempts = 4,
      http = { url = "https://www.example.com/", expect = 200 } }
    ctx.exec { key = "sync", command = "pause-sync", limit = "3/1h", only_while = "unsatisfied" }
    ```

    A policy can do nothing to the machine that `config.lua` does not grant: commands by name,
    never a shell; hosts of pages and of requests, where `"*.example.org"` is all below it and
    `"*"` is any. What is refused is shown, and told to `on_result`.

    A command gets its `args` behind the granted ones, and a small clean environment with the
    event in it (`NETVANE_STATUS`, `NETVANE_WHY`, `NETVANE_INTERFACE`, …).
    """

  static let keeping = """
    ## What is kept

    State, alerts, timers and published values outlive the process. After a start the alerts that
    are up are told again, then comes `on_start`, then the first verdicts, and only then timers
    that came due meanwhile; after a reboot those only that were started with `across_reboot`.
    `ctx.state` is what the last handler left: a default that an edit adds is not mixed into it. A
    policy whose state has another form says so, and returns the new one:

    ```lua
    policy.version = 2

    function policy.migrate(old, from)
      return { outages = old.count or 0 }
    end
    ```

    `state` has at most \(PolicyBounds.stateBytes / 1024) KiB, a published value
    \(PolicyBounds.textBytes / 1024) KiB. A handler may take 64 decisions and log
    \(PolicyBounds.logsPerHandler) lines.
    """

  static let sandbox = """
    ## What a script finds

    A policy runs in a sandbox: no files, no processes, no network but what is granted, a bounded
    number of steps and bytes. `require "x"` reads `lib/x.lua` beside the policies. `pairs` goes
    through keys in order, `math.random` is seeded by Netvane, so that a recording decides the
    same again. A policy that fails three times in a row rests for a while.
    """

  static let testing = """
    ## Tests

    The tests of `x.lua` are in `x_test.lua` beside it. They run in the real engine, with a
    network that is made up and a clock that jumps: a year costs only its events.

    ```lua
    local t = require "policy.test"

    local HOME = { wlan0 = { type = "wifi", address = "192.0.2.10/24", gateway = "192.0.2.1" } }

    t.case("a loss is told once it has lasted", function(sim)
      local net = sim.network(HOME)
      net.drop "wlan0"
      sim.advance "2s"
      sim.expect { alerts = { { key = "offline", title = "No connection" } } }
      net.restore "wlan0"
      sim.expect { alerts = {} }
    end)

    t.property("no outage leaves more than one alert", { runs = 50 }, function(sim, gen)
      sim.play(gen.flaps { events = 20, max_gap = "10s" })
      t.check(sim.count "alert.raised" <= sim.count "path.unsatisfied")
    end)
    ```
    """

  static let editors = """
    ## Editors

    Four files beside the policies are for editors: `.luarc.json` and `.types/` tell
    [lua-language-server](https://luals.github.io) (in VS Code the extension "Lua" by sumneko, in
    Neovim `lua_ls`) what `ctx` and `ev` have, and `.luacheckrc` tells luacheck. Open the
    directory of the policies as the workspace, and begin a policy's table with `---@type
    netvane.Policy`. `netvane new` writes them where they are missing; `netvane api DIR` brings
    them, and this page, up to date.

        luacheck --config .luacheckrc .

    """
}
