-- What a bar or a border shows of the connection, and when.
local t = require "policy.test"

local HOME = { wlan0 = { type = "wifi", ssid = "home", address = "192.0.2.10/24", gateway = "192.0.2.1" } }
local GREEN = { published = { connected = true, color = "green" } }
local RED = { published = { connected = false, color = "red" } }

local UNKNOWN = { published = { connected = false, color = "gray" } }

t.case("a connected start is green at once", function(sim)
  sim.network(HOME)
  sim.expect(GREEN)
end)

t.case("a start without a connection is red once it is sure, and unknown before", function(sim)
  sim.path { status = "unsatisfied" }
  sim.advance "4999ms"; sim.expect(UNKNOWN)
  sim.advance "1ms"; sim.expect(RED)
end)

t.table("anything that carries is green", {
  { name = "wifi", path = { type = "wifi" } },
  { name = "a cable", path = { type = "wired" } },
  { name = "mobile data", path = { type = "cellular", expensive = true } },
  { name = "a path without name servers", path = { type = "wifi", dns = false } },
}, function(sim, row)
  sim.path(row.path)
  sim.expect(GREEN)
end)

t.table("what does not carry yet is red", {
  { name = "no link", status = "unsatisfied" },
  { name = "a link that still waits", status = "requiresConnection" },
}, function(sim, row)
  sim.path {}
  sim.path { status = row.status }; sim.advance "250ms"
  sim.expect(RED)
end)

t.case("a loss shows once it lasts, the return at once", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "249ms"; sim.expect(GREEN)
  sim.advance "1ms"; sim.expect(RED)
  net.restore "wlan0"; sim.expect(GREEN)
  sim.expect_count("published", 8)   -- the first two before the first verdict
end)

t.case("a gap between two networks does not flicker", function(sim)
  local net = sim.network(HOME)
  sim.mark()
  net.roam("wlan0", { ssid = "office", address = "198.51.100.7/24", gateway = "198.51.100.1" })
  sim.advance "1m"
  sim.expect { path = { changed = { network = true } } }
  sim.expect_nothing()
end)

t.case("another reason for the same outage says nothing new", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "1s"
  sim.mark()
  net.down "wlan0"; sim.advance "1m"
  sim.expect { path = { changed = { reason = true } } }
  sim.expect_nothing()
end)

t.case("the second uplink keeps it green", function(sim)
  local net = sim.network {
    eth0 = { address = "192.0.2.10/24", gateway = "192.0.2.1" },
    wwan0 = { type = "cellular", address = "198.51.100.7/24", gateway = "198.51.100.1" },
  }
  sim.mark()
  net.down "eth0"; sim.advance "1m"
  sim.expect { path = { interface = "wwan0" } }
  sim.expect_nothing()
  net.down "wwan0"; sim.advance "1s"; sim.expect(RED)
end)

t.table("the colours are the operator's", {
  { name = "the good one", config = { connected = "blue" }, up = "blue", down = "red" },
  { name = "the bad one", config = { disconnected = "grey" }, up = "green", down = "grey" },
}, function(sim, row)
  sim.config(row.config)
  local net = sim.network(HOME)
  sim.expect { published = { connected = true, color = row.up } }
  net.drop "wlan0"; sim.advance "250ms"
  sim.expect { published = { connected = false, color = row.down } }
end)

t.case("what an earlier run showed proves nothing, and a connection shows at once", function(sim)
  local net = sim.network(HOME)
  sim.expect(GREEN)
  net.drop "wlan0"; sim.restart { after = "1m" }
  sim.expect(UNKNOWN)
  sim.advance "5s"; sim.expect(RED)
  net.restore "wlan0"; sim.restart()
  sim.expect(GREEN)
end)

t.case("a sleep is no outage, one that it hid shows when it lasts", function(sim)
  local net = sim.network(HOME)
  sim.mark()
  sim.sleep "8h"; sim.advance "1m"
  sim.expect(GREEN); sim.expect_nothing()
  sim.sleep "8h"; net.drop "wlan0"
  sim.advance "9s"; sim.expect(GREEN)
  sim.advance "1s"; sim.expect(RED)
end)

t.property("both values change together, and never without a change of status", { runs = 200 }, function(sim, gen)
  sim.play(gen.flaps { events = 30, max_gap = "5s" })
  t.equal(sim.count "published", 2 + 2 * (sim.count "path.satisfied" + sim.count "path.unsatisfied"))
  sim.advance "1m"; sim.expect(GREEN)
end)

t.property("whoever walks from network to network stays green", { runs = 100 }, function(sim, gen)
  sim.play(gen.roaming { moves = 10, max_gap = "1m" })
  sim.expect(GREEN)
  sim.expect_count("published", 4)
end)
