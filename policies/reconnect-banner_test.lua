-- What people see of a connection that is lost and comes back.
local t = require "policy.test"

local HOME = { wlan0 = { type = "wifi", ssid = "home", address = "192.0.2.10/24", gateway = "192.0.2.1" } }

-- Drops and returns at once, so often.
local function flap(sim, net, times, rest)
  for _ = 1, times do
    net.drop "wlan0"; sim.advance(rest)
    net.restore "wlan0"; sim.advance(rest)
  end
end

t.case("a connected start says nothing", function(sim)
  sim.network(HOME)
  sim.advance "1m"
  sim.expect { alerts = {}, path = { status = "satisfied", initial = true } }
end)

t.case("a start without a connection is told once it is sure", function(sim)
  sim.path { status = "unsatisfied" }
  sim.advance "4999ms"; sim.expect { alerts = {} }
  sim.advance "1ms"; sim.expect { alerts = { { title = "Not connected" } } }
end)

t.case("a loss shows after the grace, not before", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "1999ms"
  sim.expect { alerts = {} }
  sim.advance "1ms"
  sim.expect { alerts = { { key = "connection", title = "Not connected", severity = "warning" } } }
end)

t.case("the return shows once it lasts, for five seconds", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "2s"
  net.restore "wlan0"; sim.advance "299ms"
  sim.expect { alerts = { { title = "Not connected" } } }
  sim.advance "1ms"
  sim.expect { alerts = { { title = "Back online", severity = "info", expires = "5s" } } }
  sim.advance "4999ms"; sim.expect { alerts = { { title = "Back online" } } }
  sim.advance "1ms"; sim.expect { alerts = {} }
  sim.expect_order { "alert.raised", "alert.updated", "alert.expired" }
end)

t.case("a drop within the five seconds keeps the banner, without a gap", function(sim)
  local net = sim.network { wlan0 = { type = "wifi", address = "192.0.2.10/24", gateway = "192.0.2.1" } }
  net.drop "wlan0"; sim.advance "2s"
  sim.expect { alerts = { { key = "connection", title = "Not connected" } } }      -- partial match
  net.restore "wlan0"; sim.advance "300ms"
  sim.expect { alerts = { { title = "Back online" } } }
  sim.advance "4s"; net.drop "wlan0"                  -- one second before the banner would go
  sim.advance "1.9s"; sim.expect { alerts = { { title = "Back online" } } }       -- expiry waits for the pending change
  sim.advance "100ms"; sim.expect { alerts = { { title = "Not connected" } } }
  sim.expect_count("alert.raised", 1); sim.expect_count("alert.updated", 2)
end)

t.case("a change of nothing but the network is not a return", function(sim)
  local net = sim.network(HOME)
  net.join("wlan0", { ssid = "office", address = "198.51.100.7/24", gateway = "198.51.100.1" })
  sim.advance "1m"
  sim.expect { path = { changed = { network = true } } }
  sim.expect_count("alert.raised", 0)
end)

t.case("what somebody closed stays closed until there is something new to say", function(sim)
  local net = sim.network { eth0 = { address = "192.0.2.10/24", gateway = "192.0.2.1" } }
  net.drop "eth0"; sim.advance "2s"
  sim.dismiss "connection"
  net.down "eth0"; sim.advance "2s"                   -- another reason, still no connection
  sim.expect { alerts = {}, path = { status = "unsatisfied", changed = { reason = true } } }
  net.up "eth0"; net.restore "eth0"; sim.advance "300ms"
  sim.expect { alerts = { { title = "Back online" } } }
  net.drop "eth0"; sim.advance "2s"
  sim.expect { alerts = { { title = "Not connected" } } }
end)

t.table("after more than six changes in a minute a loss must last longer", {
  { name = "the fifth", returns = 2, early = "1999ms" },
  { name = "the seventh", returns = 3, early = "4999ms" },
}, function(sim, row)
  local net = sim.network(HOME)
  flap(sim, net, row.returns, "100ms")
  net.drop "wlan0"; sim.advance(row.early)
  sim.expect { alerts = {} }
  sim.advance "1ms"
  sim.expect { alerts = { { title = "Not connected" } } }
end)

t.case("the sixth change, a return, still counts as calm", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "2s"
  net.restore "wlan0"; sim.advance "100ms"
  net.drop "wlan0"; sim.advance "100ms"; net.restore "wlan0"; sim.advance "100ms"
  net.drop "wlan0"; sim.advance "2s"
  net.restore "wlan0"; sim.advance "300ms"
  sim.expect { alerts = { { title = "Back online" } } }
end)

t.case("a connection that comes and goes gets one calm banner, until a minute after", function(sim)
  local net = sim.network(HOME)
  flap(sim, net, 40, "1s")
  sim.expect { alerts = { { title = "Unstable connection", severity = "warning", expires = "40s" } } }
  sim.advance "1m"; sim.expect { alerts = {} }
  sim.expect_count("alert.raised", 1)
end)

t.case("a connection that came back while nobody ran is told", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "2s"
  net.restore "wlan0"
  sim.restart { after = "1m" }
  sim.advance "300ms"
  sim.expect { alerts = { { title = "Back online" } } }
end)

t.property("flapping never shows more banners than outages", { runs = 300 }, function(sim, gen)
  sim.play(gen.flaps { events = 40, max_gap = "30s" })
  t.check(sim.count "alert.raised" <= sim.count "path.unsatisfied")
end)
