-- Which uplink is shown, and when people hear that the preferred one is lost.
local t = require "policy.test"

local LOST = { alerts = { { key = "uplink", severity = "warning", title = "Preferred uplink lost" } } }
local NONE = { alerts = {} }

-- A cable, Wi-Fi beside it, and a modem.
local function desk(sim)
  return sim.network {
    eth0 = { address = "192.0.2.10/24", gateway = "192.0.2.1" },
    wlan0 = { type = "wifi", address = "198.51.100.7/24", gateway = "198.51.100.1" },
    wwan0 = { type = "cellular", address = "203.0.113.7/24", gateway = "203.0.113.1" },
  }
end

-- Pulls the cable and plugs it in again, so often.
local function flap(sim, net, times, off, on)
  for _ = 1, times do
    net.down "eth0"; sim.advance(off)
    net.up "eth0"; sim.advance(on)
  end
end

t.case("it says which uplink carries, the next one at once, and that none does once it is sure", function(sim)
  local net = desk(sim)
  sim.expect { published = { uplink = "wired", interface = "eth0", preferred = true } }
  net.down "eth0"
  sim.expect { published = { uplink = "wifi", interface = "wlan0" } }
  net.down "wlan0"
  sim.expect { published = { uplink = "cellular", interface = "wwan0" } }
  net.down "wwan0"; sim.advance "249ms"
  sim.expect { published = { uplink = "cellular" } }
  sim.advance "1ms"
  sim.expect { published = { uplink = "none", interface = "none" } }
  net.up "wlan0"
  sim.expect { published = { uplink = "wifi", interface = "wlan0" } }
end)

t.table("the preferred uplink has its grace", {
  { name = "as it ships", config = {}, early = "29999ms" },
  { name = "as the operator wants it", config = { grace = "5s" }, early = "4999ms" },
}, function(sim, row)
  sim.config(row.config)
  local net = desk(sim)
  net.down "eth0"; sim.advance(row.early)
  sim.expect { alerts = {}, published = { preferred = true } }
  sim.advance "1ms"
  sim.expect(LOST)
  sim.expect { alerts = { { body = "wlan0 (wifi) carries IPv4 through 198.51.100.1." } },
    published = { preferred = false } }
end)

t.table("it is back when that lasts", {
  { name = "as it ships", config = {}, early = "9999ms" },
  { name = "as the operator wants it", config = { calm = "1m" }, early = "59999ms" },
}, function(sim, row)
  sim.config(row.config)
  local net = desk(sim)
  net.down "eth0"; sim.advance "30s"
  net.up "eth0"; sim.advance(row.early)
  sim.expect(LOST)
  sim.advance "1ms"
  sim.expect { alerts = {}, published = { preferred = true, uplink = "wired" } }
end)

t.case("one alert follows what carries instead", function(sim)
  local net = desk(sim)
  net.down "eth0"; sim.advance "30s"
  net.down "wlan0"; sim.expect(LOST)
  sim.expect { alerts = { { body = "wwan0 (cellular) carries IPv4 through 203.0.113.1." } } }
  net.down "wwan0"; sim.advance "250ms"; sim.expect(LOST)
  sim.expect { alerts = { { body = "Nothing else carries." } } }
  sim.expect_count("alert.raised", 1); sim.expect_count("alert.updated", 2)
end)

t.case("an uplink that was never there is not missed", function(sim)
  local net = sim.network { wlan0 = { type = "wifi", address = "198.51.100.7/24", gateway = "198.51.100.1" } }
  sim.advance "10m"
  net.down "wlan0"; sim.advance "10m"
  sim.expect { alerts = {}, published = { preferred = false, uplink = "none" } }
  sim.expect_count("alert.raised", 0)
end)

t.case("a return that does not last keeps the alert, without a gap", function(sim)
  local net = desk(sim)
  net.down "eth0"; sim.advance "30s"
  net.up "eth0"; sim.advance "9s"
  net.down "eth0"; sim.advance "10m"
  sim.expect(LOST)
  sim.expect_count("alert.raised", 1); sim.expect_count("alert.resolved", 0)
end)

t.table("after more than four changes in ten minutes a loss must last longer", {
  { name = "the third", returns = 1, early = "29999ms" },
  { name = "the fifth", returns = 2, early = "119999ms" },
}, function(sim, row)
  local net = desk(sim)
  flap(sim, net, row.returns, "1s", "31s")
  net.down "eth0"; sim.advance(row.early); sim.expect(NONE)
  sim.advance "1ms"; sim.expect(LOST)
end)

t.case("the fourth change, a return, still counts as calm", function(sim)
  local net = desk(sim)
  flap(sim, net, 1, "1s", "31s")
  net.down "eth0"; sim.advance "30s"; sim.expect(LOST)
  net.up "eth0"; sim.advance "10s"; sim.expect(NONE)
end)

t.case("after unrest the return must last longer too", function(sim)
  local net = desk(sim)
  flap(sim, net, 2, "1s", "31s")
  net.down "eth0"; sim.advance "2m"
  net.up "eth0"; sim.advance "119999ms"; sim.expect(LOST)
  sim.advance "1ms"; sim.expect(NONE)
end)

t.case("patience is over ten minutes after the last unrest", function(sim)
  local net = desk(sim)
  flap(sim, net, 10, "1s", "1s")
  sim.advance "10m"
  net.down "eth0"; sim.advance "30s"
  sim.expect(LOST)
end)

t.case("an uplink that comes and goes for an hour is called unstable, in few alerts", function(sim)
  local net = desk(sim)
  flap(sim, net, 36, "60s", "40s")
  sim.expect { alerts = { { title = "Preferred uplink unstable" } } }
  t.check(sim.count "alert.raised" <= 8)
  sim.advance "15m"
  sim.expect(NONE)
end)

t.case("closed, it stays closed whatever carries, until the uplink was back", function(sim)
  local net = desk(sim)
  net.down "eth0"; sim.advance "30s"
  sim.dismiss "uplink"
  net.down "wlan0"; sim.advance "10m"
  sim.restart { after = "1m" }; sim.advance "10m"
  sim.expect(NONE)
  net.up "eth0"; sim.advance "10s"
  net.down "eth0"; sim.advance "30s"
  sim.expect(LOST)
  sim.expect_count("alert.raised", 2)
end)

t.case("what a tunnel goes over is the uplink", function(sim)
  local net = desk(sim)
  net.vpn { name = "wg0", over = "eth0", address = "10.9.0.2/24" }
  sim.advance "10m"
  sim.expect { alerts = {}, published = { preferred = true, uplink = "wired", interface = "eth0" } }
  net.remove "wg0"; net.down "eth0"
  net.vpn { name = "wg0", over = "wlan0", address = "10.9.0.2/24" }
  sim.expect { published = { uplink = "wifi", interface = "wlan0" } }
end)

t.case("a tunnel over nobody knows what is itself the uplink", function(sim)
  sim.network { tun0 = { type = "other", kind = "tun", address = "10.9.0.2/24", gateway = "10.9.0.1" } }
  sim.advance "1m"
  sim.expect { published = { uplink = "other", interface = "tun0" } }
end)

t.case("another preference is a word in the configuration", function(sim)
  sim.config { preferred = "fixed" }
  local net = desk(sim)
  net.add("usb0", { type = "other", address = "192.0.2.77/24", gateway = "192.0.2.1" })
  net.down "eth0"; sim.advance "1h"
  sim.expect { alerts = {}, published = { preferred = true } }
  net.down "usb0"; sim.advance "30s"
  sim.expect(LOST)
end)

t.case("a wrong preference is a fault at the start, which names the right one", function(sim)
  sim.config { preferred = "wird" }
  desk(sim)
  sim.expect_fault "did you mean 'wired'"
end)

t.case("a reload and a restart within an outage double nothing", function(sim)
  local net = desk(sim)
  net.down "eth0"; sim.advance "20s"
  sim.reload(); sim.advance "10s"
  sim.expect(LOST)
  sim.restart { after = "1m" }; sim.advance "1h"
  sim.expect(LOST)
  sim.expect_count("alert.raised", 1)
end)

t.case("a sleep is no loss, and one that it hid is told after its grace", function(sim)
  local net = desk(sim)
  sim.sleep "8h"
  net.down "eth0"; sim.advance "20s"; net.up "eth0"; sim.advance "15m"
  sim.expect_count("alert.raised", 0)
  net.down "eth0"; sim.sleep "8h"
  sim.advance "29999ms"; sim.expect(NONE)
  sim.advance "1ms"; sim.expect(LOST)
end)

t.property("what is shown as the uplink is what carries", { runs = 200 }, function(sim, gen)
  local net = desk(sim)
  local types, best = { eth0 = "wired", wlan0 = "wifi", wwan0 = "cellular" }, { "eth0", "wlan0", "wwan0" }
  local up = { eth0 = true, wlan0 = true, wwan0 = true }
  for _ = 1, gen.integer(1, 20) do
    local name = gen.pick(best)
    if up[name] then net.down(name) else net.up(name) end
    up[name] = not up[name]
    sim.advance(gen.duration("1ms", "2m"))
  end
  sim.advance "250ms"
  local wanted = up.eth0 and "eth0" or up.wlan0 and "wlan0" or up.wwan0 and "wwan0" or "none"
  sim.expect { published = { interface = wanted, uplink = types[wanted] or "none" } }
end)

t.property("there are never more alerts than losses, and none once the uplink rests", { runs = 100 }, function(sim, gen)
  local net = desk(sim)
  for _ = 1, gen.integer(1, 20) do
    flap(sim, net, 1, gen.duration("1ms", "5m"), gen.duration("1ms", "5m"))
  end
  t.check(sim.count "alert.raised" <= sim.count "path.unsatisfied")
  sim.advance "15m"
  sim.expect { alerts = {}, published = { preferred = true } }
end)
