-- The alert that people see while there is no connection.
local t = require "policy.test"

local HOME = { wlan0 = { type = "wifi", ssid = "home", address = "192.0.2.10/24", gateway = "192.0.2.1" } }
local SHOWN = { alerts = { { key = "offline", severity = "warning", title = "No connection" } } }
local NONE = { alerts = {} }

t.case("a connected start says nothing", function(sim)
  sim.network(HOME)
  sim.advance "1m"
  sim.expect_count("alert.raised", 0)
end)

t.case("a start without a connection is told once it is sure", function(sim)
  sim.path { status = "unsatisfied" }
  sim.advance "4999ms"; sim.expect(NONE)
  sim.advance "1ms"; sim.expect(SHOWN)
end)

t.table("an outage is told after the grace, not before", {
  { name = "as it ships", config = {}, early = "1999ms" },
  { name = "as the operator wants it", config = { grace = "10s" }, early = "9999ms" },
}, function(sim, row)
  sim.config(row.config)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance(row.early); sim.expect(NONE)
  sim.advance "1ms"; sim.expect(SHOWN)
end)

t.case("the return ends it at once", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "1h"; sim.expect(SHOWN)
  net.restore "wlan0"; sim.expect(NONE)
  sim.expect_order { "alert.raised", "alert.resolved" }
end)

t.case("it says why, and follows the reason without a second alert", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "2s"
  sim.expect { alerts = { { body = "The IPv4 route out leads through wlan0, which has no carrier." } } }
  net.down "wlan0"; sim.advance "2s"
  sim.expect { alerts = { { body = "wlan0 is switched off." } } }
  sim.expect_count("alert.raised", 1); sim.expect_count("alert.updated", 1)
end)

t.case("outages shorter than the grace are nobody's business", function(sim)
  local net = sim.network(HOME)
  for _ = 1, 10 do
    net.drop "wlan0"; sim.advance "1999ms"
    net.restore "wlan0"; sim.advance "10s"
  end
  sim.expect_count("alert.raised", 0)
end)

t.case("it works again after fifty outages", function(sim)
  local net = sim.network(HOME)
  for _ = 1, 50 do
    net.drop "wlan0"; sim.advance "2s"; sim.expect(SHOWN)
    net.restore "wlan0"; sim.expect(NONE)
    sim.advance "1m"
  end
  sim.expect_count("alert.raised", 50); sim.expect_count("alert.resolved", 50)
end)

t.case("closed, it stays closed whatever else changes, until the next outage", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "2s"
  sim.dismiss "offline"
  net.down "wlan0"; sim.advance "1h"
  sim.expect { alerts = {}, path = { changed = { reason = true } } }
  net.up "wlan0"; net.restore "wlan0"; sim.advance "1m"
  net.drop "wlan0"; sim.advance "2s"; sim.expect(SHOWN)
end)

t.table("closed, it stays closed for the same outage", {
  { name = "over a reload", happens = function(sim) sim.reload() end },
  { name = "over a restart", happens = function(sim) sim.restart { after = "1m" } end },
  { name = "over a sleep", happens = function(sim) sim.sleep "8h" end },
  { name = "over lost kernel events", happens = function(sim) sim.overrun() end },
}, function(sim, row)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "2s"
  sim.dismiss "offline"
  row.happens(sim); sim.advance "1h"
  sim.expect(NONE)
  sim.expect_count("alert.raised", 1)
end)

t.case("an outage that goes on over a restart is told of once", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "2s"
  sim.restart { after = "1m" }; sim.advance "1m"
  sim.expect(SHOWN)
  sim.expect_count("alert.raised", 1)
end)

t.case("an outage that ended while nobody ran is over at the next start", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "2s"
  net.restore "wlan0"
  sim.restart { reboot = true, after = "1m" }
  sim.expect(NONE)
end)

t.case("Wi-Fi that takes eight seconds after a sleep is no outage", function(sim)
  local net = sim.network(HOME)
  sim.sleep "8h"
  net.drop "wlan0"; sim.advance "8s"
  net.restore "wlan0"; sim.advance "1m"
  sim.expect_count("alert.raised", 0)
end)

t.property("it is up during an outage that lasts, and never once there is a path", { runs = 200 }, function(sim, gen)
  sim.play(gen.flaps { events = gen.integer(1, 12) * 2 - 1, max_gap = "10s" })   -- ends with a drop
  sim.advance "2s"; sim.expect(SHOWN)
  sim.play { { "restore", "wlan0" } }
  sim.expect(NONE)
  t.equal(sim.count "alert.raised", sim.count "alert.resolved")
end)
