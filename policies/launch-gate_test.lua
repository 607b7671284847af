-- What people meet at start and after sleep: the way in, or a question when there is no connection.
local t = require "policy.test"

local HOME = { wlan0 = { type = "wifi", ssid = "home", address = "192.0.2.10/24", gateway = "192.0.2.1" } }
local GATE = { key = "gate", title = "No connection", severity = "warning",
  buttons = { { id = "quit", label = "Quit" }, { id = "settings", label = "Open settings" } } }

-- A start without a connection, as far as the question.
local function shut(sim)
  sim.path { status = "unsatisfied" }
  sim.advance "5s"
end

t.case("with a connection the gate opens at once, to the introduction only the first time", function(sim)
  sim.network(HOME)
  sim.expect { alerts = {}, published = { route = "onboarding", type = "wifi" } }
  sim.restart { after = "1h" }; sim.expect { alerts = {}, published = { route = "main" } }
  sim.restart { after = "1h", reboot = true }; sim.expect { alerts = {}, published = { route = "main" } }
end)

t.case("what an earlier run opened is shut until it is judged again", function(sim)
  local net = sim.network(HOME)
  sim.expect { published = { route = "onboarding" } }
  net.drop "wlan0"; sim.restart { after = "1h" }
  sim.expect { alerts = {}, published = { route = "none" } }
  sim.advance "5s"; sim.expect { alerts = { GATE }, published = { route = "none" } }
end)

t.case("without a connection it asks once it is sure, and the return opens", function(sim)
  sim.path { status = "unsatisfied" }
  sim.advance "4999ms"; sim.expect { alerts = {}, published = { route = "none" } }
  sim.advance "1ms"; sim.expect { alerts = { GATE }, published = { route = "none", type = "none" } }
  sim.path { type = "wired" }
  sim.expect { alerts = {}, published = { route = "onboarding", type = "wired" } }
end)

t.case("a login whose Wi-Fi associates is asked nothing", function(sim)
  sim.path { status = "requiresConnection" }
  sim.advance "4s"; sim.path { status = "satisfied" }
  sim.advance "1h"
  sim.expect { alerts = {}, published = { route = "onboarding" } }; sim.expect_count("alert.raised", 0)
end)

t.table("the type is what carries", {
  { name = "Wi-Fi", path = { type = "wifi" }, type = "wifi" },
  { name = "a cable", path = { type = "wired" }, type = "wired" },
  { name = "a modem", path = { type = "cellular" }, type = "cellular" },
  { name = "none, while it has to be connected first", path = { status = "requiresConnection" }, type = "none" },
  { name = "none without one", path = { status = "unsatisfied" }, type = "none" },
}, function(sim, row)
  sim.path { type = "other" }
  sim.path(row.path); sim.advance "1s"
  sim.expect { published = { type = row.type } }
end)

t.case("once open, an outage is none of its business", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "1h"
  sim.expect { alerts = {}, published = { route = "onboarding", type = "none" } }
  net.restore "wlan0"; sim.advance "1h"
  sim.expect { alerts = {}, published = { route = "onboarding", type = "wifi" } }
end)

t.case("Open settings leaves the question up", function(sim)
  shut(sim)
  sim.press("gate", "settings")
  sim.expect { actions = { { kind = "exec", command = "settings" } } }
  sim.finish_action "settings"
  sim.expect { alerts = { GATE } }; sim.expect_count("alert.raised", 1)
end)

t.case("Quit ends the question, until there is news", function(sim)
  sim.config { quit = "stop-kiosk" }
  local net = sim.network { eth0 = {} }
  sim.advance "5s"; sim.expect { alerts = { GATE } }
  sim.press("gate", "quit"); sim.expect { actions = { { command = "stop-kiosk" } }, alerts = { GATE } }
  sim.finish_action "quit"; sim.expect { alerts = {} }
  net.drop "eth0"; sim.advance "1h"                   -- another reason, still no connection
  sim.expect { alerts = {}, path = { changed = { reason = true } } }
end)

t.case("a button that does not work says so for half a minute, and the question stays", function(sim)
  shut(sim)
  sim.press("gate", "quit"); sim.finish_action("quit", { refused = true, error = "it is not granted" })
  sim.expect { alerts = { GATE, { key = "trouble", title = "That did not work", body = "it is not granted",
    severity = "warning", expires = "30s" } } }
  sim.advance "29999ms"; sim.expect { alerts = { GATE, { key = "trouble" } } }
  sim.advance "1ms"; sim.expect_count("alert.expired", 1)
  sim.path { status = "satisfied" }
  sim.expect { alerts = {}, published = { route = "onboarding" } }
end)

t.case("presses that are one too many are no trouble", function(sim)
  shut(sim)
  for _ = 1, 3 do sim.press("gate", "settings") end
  sim.finish_action "settings"; sim.finish_action "settings"
  sim.expect { actions = {}, alerts = { GATE } }; sim.expect_count("alert.raised", 1)
end)

t.case("closed, it asks again only after news", function(sim)
  local net = sim.network { eth0 = {} }
  sim.advance "5s"; sim.dismiss "gate"
  net.drop "eth0"; sim.advance "1h"
  sim.expect { alerts = {}, path = { changed = { reason = true } } }
  sim.sleep "1h"; sim.advance "12s"
  sim.expect { alerts = { GATE } }
end)

t.case("closed, it asks again when all that is missing is to connect", function(sim)
  shut(sim)
  sim.dismiss "gate"
  sim.path { status = "requiresConnection" }; sim.advance "1s"
  sim.expect { alerts = { GATE } }
end)

t.case("closed trouble does not close the question", function(sim)
  local net = sim.network { eth0 = {} }
  sim.advance "5s"
  sim.press("gate", "settings"); sim.finish_action("settings", { error = "it ended with 1" })
  sim.dismiss "trouble"
  local asked = sim.count "alert.updated"
  net.drop "eth0"; sim.advance "1s"                   -- another reason is still told
  sim.expect { alerts = { GATE } }; t.equal(sim.count "alert.updated", asked + 1)
end)

t.case("waking with a connection leads to the main page", function(sim)
  sim.network(HOME)
  sim.sleep "8h"
  sim.advance "11999ms"; sim.expect { published = { route = "onboarding" } }
  sim.advance "1ms"; sim.expect { alerts = {}, published = { route = "main" } }
end)

t.case("waking without a connection asks, even if nothing changed", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "1m"; sim.expect { alerts = {} }
  sim.sleep "8h"
  sim.advance "11999ms"; sim.expect { alerts = {} }
  sim.advance "1ms"; sim.expect { alerts = { GATE }, published = { route = "none" } }
  net.restore "wlan0"; sim.expect { alerts = {}, published = { route = "main" } }
end)

t.case("waking into a lost connection asks once, and one that is found in time is not asked for", function(sim)
  local net = sim.network(HOME)
  sim.sleep "1h"; net.drop "wlan0"; sim.advance "9s"
  net.restore "wlan0"; sim.advance "1m"; sim.expect { alerts = {} }
  sim.sleep "1h"; net.drop "wlan0"; sim.advance "10s"; sim.expect { alerts = { GATE } }
  sim.dismiss "gate"
  sim.advance "1m"; sim.expect { alerts = {} }; sim.expect_count("alert.raised", 1)
end)

t.case("what changes after waking opens the gate without a wait, and only once", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "1m"
  sim.sleep "1h"; net.restore "wlan0"
  sim.expect { published = { route = "main" } }
  net.drop "wlan0"; sim.advance "12s"
  sim.expect { alerts = {}, published = { route = "main" } }
end)

t.case("news of the network that were lost are no waking", function(sim)
  sim.network(HOME)
  sim.overrun(); sim.advance "1m"
  sim.expect { alerts = {}, published = { route = "onboarding" } }
end)

t.case("a reload neither asks again nor opens what is closed", function(sim)
  shut(sim)
  sim.dismiss "gate"
  sim.reload(); sim.advance "1h"
  sim.expect { alerts = {} }
  sim.path { status = "satisfied" }; sim.reload()
  sim.path { status = "unsatisfied" }; sim.advance "1h"
  sim.expect { alerts = {}, published = { route = "onboarding" } }; sim.expect_count("alert.raised", 1)
end)

t.case("a restart asks anew", function(sim)
  shut(sim)
  sim.dismiss "gate"
  sim.restart { after = "1m" }; sim.advance "5s"
  sim.expect { alerts = { GATE } }
end)

t.property("between sleeps it asks at most once, and never while there is a connection", { runs = 100 },
  function(sim, gen)
    local net = sim.network(HOME)
    local asleep = gen.integer(0, 3)
    for _ = 1, asleep do
      sim.play(gen.flaps { events = 6, max_gap = "20s" })
      sim.sleep(gen.duration("1s", "8h"))
    end
    sim.play(gen.flaps { events = 20, max_gap = "20s" })
    t.check(sim.count "alert.raised" <= asleep, "it asked more often than it woke")
    net.restore "wlan0"; sim.advance "20s"
    sim.expect { alerts = {}, published = { type = "wifi", route = asleep > 0 and "main" or "onboarding" } }
  end)
