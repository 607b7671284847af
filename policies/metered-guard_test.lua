-- When syncing pauses and goes on, and what people hear of a command that fails.
local t = require "policy.test"

local CHEAP = { type = "wifi" }
local COSTLY = { type = "cellular", expensive = true }
local PAUSED = { published = { sync = "paused" } }
local RUNNING = { published = { sync = "running" } }

-- On a cheap path, with everything done that a start brings.
local function calm(sim)
  sim.path(CHEAP)
  sim.finish_action "sync"
end

-- Paused by a costly path, and the command is done.
local function pause(sim)
  calm(sim)
  sim.path(COSTLY)
  sim.finish_action "sync"
end

t.case("a costly path pauses at once", function(sim)
  calm(sim)
  sim.path(COSTLY)
  sim.expect { published = { sync = "paused" }, actions = { { key = "sync", command = "pause-sync" } } }
end)

t.table("it goes on once the cheap path has lasted", {
  { name = "ten seconds as it ships", config = {}, early = "9999ms" },
  { name = "as long as the operator says", config = { calm = "1m" }, early = "59999ms" },
}, function(sim, row)
  sim.config(row.config)
  pause(sim)
  sim.path(CHEAP); sim.advance(row.early)
  sim.expect { published = { sync = "paused" }, actions = {} }
  sim.advance "1ms"
  sim.expect { published = { sync = "running" }, actions = { { command = "resume-sync" } } }
end)

t.table("what counts as costly is the operator's choice", {
  { name = "expensive", path = { expensive = true }, sync = "paused" },
  { name = "constrained", path = { constrained = true }, sync = "paused" },
  { name = "neither", path = { expensive = false }, sync = "running" },
  { name = "expensive, and that does not matter", path = { expensive = true }, config = { expensive = false },
    sync = "running" },
  { name = "constrained, and that does not matter", path = { constrained = true }, config = { constrained = false },
    sync = "running" },
  { name = "both, and one does not matter", path = { expensive = true, constrained = true },
    config = { expensive = false }, sync = "paused" },
}, function(sim, row)
  sim.config(row.config or {})
  sim.path(row.path)
  sim.expect { published = { sync = row.sync } }
end)

t.case("without a path nothing is decided, however long", function(sim)
  sim.path { status = "unsatisfied" }; sim.advance "2h"
  sim.expect { published = {}, actions = {} }
  sim.path(COSTLY); sim.expect(PAUSED)
end)

t.table("a hotspot that is lost and returns changes nothing", {
  { name = "for a moment", gone = "3s" }, { name = "for hours", gone = "5h" },
}, function(sim, row)
  pause(sim)
  sim.mark()
  for _ = 1, 5 do
    sim.path { status = "unsatisfied", type = "cellular" }; sim.advance(row.gone)
    sim.path(COSTLY); sim.advance "5s"
  end
  sim.expect_nothing()
end)

t.case("an outage is no event for it until it has lasted an hour", function(sim)
  pause(sim)
  sim.path { status = "unsatisfied" }
  sim.advance "3599999ms"; sim.expect_count("path.unsatisfied", 0)
  sim.advance "1ms"; sim.expect_count("path.unsatisfied", 1)
end)

t.case("after an outage the next path decides, a cheap one when it lasts", function(sim)
  pause(sim)
  sim.path { status = "unsatisfied" }; sim.advance "2h"
  sim.path(CHEAP); sim.advance "9s"; sim.expect(PAUSED)
  sim.advance "1s"; sim.expect(RUNNING)
end)

t.table("while cheap and costly take turns it stays paused, and is let go on for a moment once a day", {
  { name = "in 20 hours", turns = 115, published = 2 },
  { name = "in 26 hours", turns = 150, published = 4 },
}, function(sim, row)
  sim.config { calm = "10m" }
  pause(sim)
  for _ = 1, row.turns do
    sim.path(CHEAP); sim.advance "9m"
    sim.path(COSTLY); sim.advance "90s"
  end
  sim.expect(PAUSED)
  sim.expect_count("published", row.published)
end)

t.case("a command that fails is tried three times, then said for ten minutes", function(sim)
  calm(sim)
  sim.path(COSTLY)
  for _ = 1, 3 do
    sim.expect { alerts = {}, actions = { { command = "pause-sync" } } }
    sim.finish_action("sync", { error = "it ended with 1", exit = 1 })
    sim.advance "3s"
  end
  sim.expect { actions = {}, alerts = { { key = "trouble", severity = "warning", body = "it ended with 1",
    title = "Syncing could not be paused", expires = "9m57s" } } }
  sim.advance "10m"; sim.expect { alerts = {} }
  sim.expect_count("action.started", 4)
end)

t.case("what failed is forgotten when the other command is due", function(sim)
  sim.config { attempts = 1 }
  pause(sim)
  sim.path(CHEAP); sim.advance "10s"
  sim.finish_action("sync", { error = "it ended with 1" })
  sim.expect { alerts = { { title = "Syncing could not go on" } } }
  sim.path(COSTLY)
  sim.expect { alerts = {} }
end)

t.table("a first command that fails is told when there was something to pause", {
  { name = "nothing", path = CHEAP, alerts = {} },
  { name = "something", path = COSTLY, alerts = { { title = "Syncing could not be paused" } } },
}, function(sim, row)
  sim.path(row.path)
  sim.finish_action("sync", { refused = true, error = "not granted" })
  sim.expect { alerts = row.alerts }
end)

t.case("after a start that had nothing to pause, a pause that fails is told", function(sim)
  sim.path(CHEAP)
  sim.finish_action("sync", { refused = true, error = "not granted" })
  sim.path(COSTLY)
  sim.finish_action("sync", { refused = true, error = "not granted" })
  sim.expect { published = { sync = "paused" }, alerts = { { title = "Syncing could not be paused" } } }
  sim.advance "1h"
  sim.expect_count("alert.raised", 1)
end)

t.case("the path changes while a command is at work: the latest word is the last", function(sim)
  calm(sim)
  sim.path(COSTLY)
  sim.path(CHEAP); sim.advance "10s"
  sim.expect { published = { sync = "running" }, actions = { { command = "pause-sync" } } }
  sim.finish_action("sync", { error = "it took too long" })
  sim.expect { actions = { { command = "resume-sync" } }, alerts = {} }
  sim.finish_action "sync"; sim.advance "1h"
  sim.expect { actions = {}, alerts = {} }
  sim.expect_count("action.started", 3)
end)

t.case("a last try that fails as the path changes is no trouble once the other command is done", function(sim)
  sim.config { attempts = 1 }
  calm(sim)
  sim.path(COSTLY)
  sim.path(CHEAP); sim.advance "10s"
  sim.finish_action("sync", { error = "it took too long" })
  sim.finish_action "sync"
  sim.expect { published = { sync = "running" }, alerts = {} }
end)

t.table("a command that is not wanted is not run, and what was at work is ended", {
  { name = "to pause", config = { paused = "" }, first = { { command = "resume-sync" } }, later = {} },
  { name = "to go on", config = { running = "" }, first = {}, later = { { command = "pause-sync" } } },
  { name = "neither", config = { paused = "", running = "" }, first = {}, later = {} },
}, function(sim, row)
  sim.config(row.config)
  sim.path(CHEAP)
  sim.expect { published = { sync = "running" }, actions = row.first }
  sim.path(COSTLY); sim.advance "1h"
  sim.expect { published = { sync = "paused" }, actions = row.later, alerts = {} }
end)

t.case("a tunnel costs what the path beneath it costs", function(sim)
  local net = sim.network { wwan0 = { type = "cellular", address = "192.0.2.10/24", gateway = "192.0.2.1" } }
  net.vpn { name = "wg0", over = "wwan0", address = "10.9.0.2/24" }
  sim.expect { published = { sync = "paused" }, path = { interface = "wg0" } }
end)

t.case("a reload and a restart ask nothing twice", function(sim)
  calm(sim)
  sim.path(COSTLY)
  sim.reload(); sim.advance "5s"
  sim.expect_count("action.started", 2)
  sim.finish_action "sync"
  sim.restart { after = "1m" }; sim.advance "1m"
  sim.expect { published = { sync = "paused" }, actions = {} }
  sim.expect_count("action.started", 2)
end)

t.table("a setting that was changed meanwhile counts at once", {
  { name = "by a reload", verb = "reload" }, { name = "by a restart", verb = "restart" },
}, function(sim, row)
  pause(sim)
  sim[row.verb] { config = { expensive = false } }; sim.advance "10s"
  sim.expect { published = { sync = "running" }, actions = { { command = "resume-sync" } } }
  sim.finish_action "sync"
  sim[row.verb] { config = {} }; sim.advance "1s"
  sim.expect { published = { sync = "paused" }, actions = { { command = "pause-sync" } } }
end)

t.case("a reload that did not mend a bad setting says so again", function(sim)
  sim.config { attempts = -1 }
  sim.path(COSTLY); sim.expect_fault "attempts"
  sim.reload(); sim.expect_fault "attempts"
end)

t.case("a sleep changes nothing, and the path that is found after it counts", function(sim)
  pause(sim)
  sim.sleep "8h"; sim.advance "1m"; sim.expect(PAUSED)
  sim.path(CHEAP); sim.sleep "8h"; sim.advance "10s"
  sim.expect(RUNNING)
end)

t.property("whatever costs is paused, and what lasts and costs nothing is not", { runs = 200 }, function(sim, gen)
  local net = sim.network { wlan0 = { type = "wifi", address = "192.0.2.10/24", gateway = "192.0.2.1" } }
  for _ = 1, gen.integer(1, 15) do
    local costs = gen.pick { true, false }
    net.metered("wlan0", costs)
    if costs then sim.expect(PAUSED) end
    sim.advance(gen.duration("1ms", "20s"))
  end
  net.metered("wlan0", false); sim.advance "10s"
  sim.expect(RUNNING)
end)

t.property("a command that succeeds ends all complaints", { runs = 200 }, function(sim, gen)
  sim.config { attempts = gen.integer(1, 3), calm = "1s" }
  local net = sim.network { wlan0 = { type = "wifi", address = "192.0.2.10/24", gateway = "192.0.2.1" } }
  local ended = 0
  for _ = 1, gen.integer(1, 20) do
    net.metered("wlan0", gen.pick { true, false })
    sim.advance(gen.duration("1ms", "5s"))
    if sim.count "action.started" > ended then
      local ok = gen.pick { true, false }
      sim.finish_action("sync", { ok = ok }); ended = ended + 1
      if ok then sim.expect { alerts = {} } end
    end
  end
  t.check(sim.count "action.started" - ended <= 1, "one command at a time")
end)
