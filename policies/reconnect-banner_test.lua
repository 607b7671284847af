-- What people see of a connection that is lost and comes back.
local t = require "policy.test"

local HOME = { wlan0 = { type = "wifi", ssid = "home", address = "192.0.2.10/24", gateway = "192.0.2.1" } }

t.case("a connected start says nothing", function(sim)
  sim.network(HOME)
  sim.advance "1m"
  sim.expect { alerts = {}, path = { status = "satisfied", initial = true } }
end)

t.case("a loss shows after the grace, not before", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "1999ms"
  sim.expect { alerts = {} }
  sim.advance "1ms"
  sim.expect { alerts = { { key = "connection", title = "Not connected", severity = "warning" } } }
end)

t.case("a drop within the five seconds keeps the banner, without a gap", function(sim)
  local net = sim.network { wlan0 = { type = "wifi", address = "192.0.2.10/24", gateway = "192.0.2.1" } }
  net.drop "wlan0"; sim.advance "2s"
  sim.expect { alerts = { { key = "connection", title = "Not connected" } } }      -- partial match
  net.restore "wlan0"; sim.advance "300ms"
  sim.expect { alerts = { { title = "Back online" } } }
  sim.advance "4s"; net.drop "wlan0"                  -- one second before the banner would go
  sim.advance "1.9s"; sim.expect { alerts = { { title = "Back online" } } }        -- expiry waits for the pending change
  sim.advance "100ms"; sim.expect { alerts = { { title = "Not connected" } } }
  sim.expect_count("alert.raised", 1); sim.expect_count("alert.updated", 2)
end)

t.property("flapping never shows more banners than outages", { runs = 300 }, function(sim, gen)
  sim.play(gen.flaps { events = 40, max_gap = "30s" })
  t.check(sim.count "alert.raised" <= sim.count "path.unsatisfied")
end)
