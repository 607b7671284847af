-- When the modem is reset, how often, and what people hear of it.
local t = require "policy.test"

local MODEM = { type = "cellular", address = "192.0.2.10/24", gateway = "192.0.2.1" }
local CABLE = { type = "wired", address = "198.51.100.7/24", gateway = "198.51.100.1" }
local RESET = { kind = "exec", key = "reset-modem", command = "reset-modem" }
local AS_SHIPPED = { key = "reset-modem", timeout = "1m", disturbs = "2m", limit = "3/1h" }
local SHARED = { wired = "reset-modem" }   -- one modem for both uplinks
local FAILED = { key = "cellular", title = "The modem was not reset", severity = "warning", expires = "1h" }

-- The modem was up for a minute, and its loss was just noticed.
local function lost(sim)
  local net = sim.network { wwan0 = MODEM }
  sim.advance "1m"; net.drop "wwan0"; sim.advance "250ms"
  return net
end

-- And it has been down for ten minutes, so that the command runs.
local function resetting(sim)
  local net = lost(sim)
  sim.advance "10m"
  return net
end

t.table("ten minutes down are one reset, which is told for an hour", {
  { name = "of the modem", interface = "wwan0", uplink = "cellular", config = {} },
  { name = "of a modem on a cable", interface = "eth0", uplink = "wired",
    config = { wired = "reset-modem", cellular = "" } },
}, function(sim, row)
  sim.config(row.config)
  local net = sim.network { wwan0 = MODEM, eth0 = CABLE }
  net.drop(row.interface); sim.advance "250ms"
  sim.advance "599999ms"; sim.expect { actions = {}, alerts = {} }
  sim.advance "1ms"; sim.expect { actions = { RESET }, alerts = {} }
  sim.expect { actions = { AS_SHIPPED } }
  sim.finish_action "reset-modem"; net.restore(row.interface)
  sim.expect { alerts = { { key = "reset", title = "The modem was reset", severity = "info", expires = "1h",
    body = "At 12:10, the " .. row.uplink .. " uplink being down for 10m or longer." } } }
  sim.advance "1h"; sim.expect { alerts = {}, timers = {}, actions = {} }
  sim.expect_count("action.started", 1)
end)

t.case("back before ten minutes are over, nothing is done, however often", function(sim)
  local net = lost(sim)
  for _ = 1, 12 do
    sim.advance "595s"; net.restore "wwan0"
    sim.advance "1s"; net.drop "wwan0"
  end
  sim.expect_nothing()
end)

t.case("neither another reason nor lost news of the network begin the outage anew", function(sim)
  local net = lost(sim)
  sim.advance "8m"; net.down "wwan0"; sim.advance "1m"
  sim.expect { path = { changed = { reason = true } } }
  sim.overrun(); sim.advance "1m"; sim.expect { actions = { RESET } }
end)

t.case("while it does not help it is done three times an hour, no more", function(sim)
  lost(sim)
  for _ = 1, 3 do sim.advance "10m"; sim.finish_action "reset-modem" end
  sim.advance "30m"
  sim.expect { actions = {}, alerts = { FAILED } }; sim.expect_count("action.started", 3)
  sim.advance "10m"; sim.expect { actions = { RESET } }
  sim.finish_action "reset-modem"
  sim.advance "1s"; sim.expect_count("alert.resolved", 1)
end)

t.case("an uplink that was never up is left alone", function(sim)
  sim.path { type = "wifi" }
  sim.advance "2h"; sim.expect_nothing()
end)

t.case("an uplink that was never up counts where that is wanted", function(sim)
  sim.config { unseen = true }
  sim.path { type = "wifi" }
  sim.advance "11m"; sim.expect { actions = { RESET }, timers = { "cellular" } }
  sim.finish_action "reset-modem"; sim.expect { alerts = { { key = "reset" } } }
end)

t.case("an uplink without a command is left alone", function(sim)
  sim.config { cellular = "" }
  lost(sim)
  sim.advance "2h"; sim.expect { timers = {} }; sim.expect_nothing()
end)

t.case("an uplink whose command is taken away while it waits is left alone", function(sim)
  lost(sim)
  sim.advance "5m"; sim.reload { config = { cellular = "" } }
  sim.advance "2h"; sim.expect { actions = {}, alerts = {}, timers = {} }
end)

t.case("two uplinks of one modem are one reset, and each waits its whole time again", function(sim)
  sim.config(SHARED)
  local net = sim.network { wwan0 = MODEM, eth0 = CABLE }
  net.drop "eth0"; sim.advance "5m"; net.drop "wwan0"
  sim.advance "5m250ms"; sim.expect { actions = { RESET } }
  sim.finish_action "reset-modem"
  sim.advance "599999ms"; sim.expect { actions = {} }
  sim.advance "1ms"; sim.expect { actions = { RESET } }
  sim.finish_action "reset-modem"; sim.expect_count("action.started", 2)
end)

t.table("the modem that carries the traffic is not reset because the cable is out", {
  { name = "as shipped", config = {} },
  { name = "one command for both", config = SHARED },
}, function(sim, row)
  sim.config(row.config)
  local net = sim.network { wwan0 = MODEM, eth0 = CABLE }
  net.drop "eth0"; sim.advance "3h"; sim.expect_count("action.started", 0)
  sim.restart { reboot = true }; sim.advance "3h"; sim.expect_count("action.started", 0)
  net.drop "wwan0"; sim.advance "21m"; sim.expect { actions = { RESET } }
end)

t.case("uplinks with commands of their own do not wait for each other", function(sim)
  sim.config { wired = "reset-router" }
  local net = sim.network { wwan0 = MODEM, eth0 = CABLE }
  net.drop "eth0"; sim.advance "5m"; net.drop "wwan0"
  sim.advance "5m250ms"; sim.expect { actions = { { command = "reset-router" } } }
  sim.finish_action("reset-router", { error = "it ended with 1" })
  sim.expect { alerts = { { key = "wired", body = "Its wired uplink is down, but: it ended with 1" } } }
  sim.advance "5m"; sim.expect { actions = { RESET } }
end)

t.case("a reset that fails is told and done again, and one that works clears it", function(sim)
  resetting(sim)
  sim.finish_action("reset-modem", { error = "it ended with 1" })
  sim.expect { alerts = { { key = "cellular", title = "The modem was not reset", severity = "warning",
    body = "Its cellular uplink is down, but: it ended with 1", expires = "1h" } } }
  sim.advance "10m"; sim.finish_action "reset-modem"
  sim.expect { alerts = { { key = "reset" } } }; sim.expect_count("alert.resolved", 1)
end)

t.case("the return ends the news of a reset that failed", function(sim)
  local net = resetting(sim)
  sim.finish_action("reset-modem", { error = "it ended with 1" })
  net.restore "wwan0"; sim.expect { alerts = {}, timers = {} }
end)

t.case("a command that fails after the return is no news", function(sim)
  local net = resetting(sim)
  sim.advance "30s"; net.restore "wwan0"
  sim.advance "30s"; sim.finish_action("reset-modem", { error = "it took longer than 1m" })
  sim.advance "1h"; sim.expect { alerts = {} }; sim.expect_count("alert.raised", 0)
end)

t.case("for two minutes, what the network does is the reset's doing, and no longer", function(sim)
  local net = resetting(sim)
  sim.advance "119s"; net.restore "wwan0"; sim.advance "250ms"
  sim.expect { path = { monitor = "cellular", status = "satisfied", self_inflicted = true } }
  sim.advance "2s"; net.drop "wwan0"; sim.advance "250ms"
  sim.expect { path = { monitor = "cellular", status = "unsatisfied", self_inflicted = false } }
end)

t.case("a command that takes longer than the wait is no failure", function(sim)
  sim.config { timeout = "1h", limit = "10/1h" }
  resetting(sim)
  sim.advance "30m"
  sim.expect { actions = { RESET }, alerts = {} }; sim.expect_count("action.dropped", 2)
end)

t.case("closed, failures stay quiet until it worked", function(sim)
  resetting(sim)
  sim.finish_action("reset-modem", { error = "it ended with 1" })
  sim.dismiss "cellular"
  sim.advance "10m"; sim.finish_action("reset-modem", { error = "it ended with 2" })
  sim.expect { alerts = {} }
  sim.advance "10m"; sim.finish_action "reset-modem"
  sim.expect { alerts = { { key = "reset" } } }
  sim.advance "50m"; sim.finish_action("reset-modem", { error = "it ended with 3" })
  sim.expect { alerts = { FAILED } }
end)

t.case("closed, a failure in the next outage is told", function(sim)
  local net = resetting(sim)
  sim.finish_action("reset-modem", { error = "it ended with 1" })
  sim.dismiss "cellular"
  net.restore "wwan0"; net.drop "wwan0"; sim.advance "10m250ms"
  sim.finish_action("reset-modem", { error = "it ended with 2" }); sim.expect { alerts = { FAILED } }
end)

t.case("what is not granted is told once, and not asked for until the next outage", function(sim)
  local net = resetting(sim)
  sim.finish_action("reset-modem", { refused = true, error = "it is not granted" })
  sim.expect { alerts = { FAILED } }
  net.down "wwan0"; sim.advance "2h"
  sim.expect { alerts = {}, timers = {} }; sim.expect_count("action.started", 1)
  net.up "wwan0"; net.restore "wwan0"; sim.advance "1m"
  net.drop "wwan0"; sim.advance "11m"; sim.expect { actions = { RESET } }
end)

t.case("a sleep is no time down", function(sim)
  lost(sim)
  sim.advance "9m"; sim.sleep "8h"
  sim.advance "599999ms"; sim.expect { actions = {} }
  sim.advance "1ms"; sim.expect { actions = { RESET } }
end)

t.case("a sleep with all uplinks up is nothing", function(sim)
  sim.network { wwan0 = MODEM, eth0 = CABLE }
  sim.sleep "8h"; sim.advance "1h"
  sim.expect { timers = {} }; sim.expect_nothing()
end)

t.table("what was down stays down for whoever is started again", {
  { name = "a restart goes on counting", start = { after = "5m" }, left = "4m" },
  { name = "a boot begins anew", start = { after = "5m", reboot = true }, left = "10m5s" },
}, function(sim, row)
  lost(sim)
  sim.advance "1m"; sim.restart(row.start); sim.advance "10s"
  sim.expect { timers = { { name = "cellular" } } }
  sim.advance(row.left); sim.expect { actions = { RESET } }
  sim.expect_count("action.started", 1)
end)

t.property("no command takes away a path that is there", { runs = 50 }, function(sim, gen)
  local shared = gen.pick { true, false }
  sim.config { wired = shared and "reset-modem" or "", unseen = gen.pick { true, false } }
  local net = sim.network { wwan0 = MODEM, eth0 = CABLE }
  sim.expect { actions = {} }
  local up = { wwan0 = true, eth0 = true }
  for _ = 1, gen.integer(1, 12) do
    local name = gen.pick { "wwan0", "eth0" }
    if up[name] then net.drop(name) else net.restore(name) end
    up[name] = not up[name]
    for _ = 1, gen.integer(1, 40) do
      local before = sim.count "action.started"
      sim.advance "1m"
      if sim.count "action.started" > before then
        t.check(not up.wwan0 and not (shared and up.eth0), "what it serves was up")
        sim.finish_action "reset-modem"
      end
    end
  end
end)

t.property("no hour sees more than three resets, whatever the modem does", { runs = 50 }, function(sim, gen)
  local net = sim.network { wwan0 = MODEM }
  local minute, times = 0, {}
  for _ = 1, gen.integer(1, 8) do
    local ending = gen.pick { { ok = true }, { error = "it ended with 1" } }
    net.drop "wwan0"
    for _ = 1, gen.integer(1, 120) do
      sim.advance "1m"; minute = minute + 1
      if sim.count "action.started" > #times then
        times[#times + 1] = minute
        sim.finish_action("reset-modem", ending)
      end
      t.check(#times < 4 or times[#times] - times[#times - 3] >= 60, "four resets in an hour")
    end
    net.restore "wwan0"; sim.advance "1m"; minute = minute + 1
    sim.expect { timers = {}, actions = {} }
  end
end)
