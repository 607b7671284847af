-- What people see in place of a page that cannot be shown, and when it is asked for again.
local t = require "policy.test"

local HOME = { wlan0 = { type = "wifi", ssid = "home", address = "192.0.2.10/24", gateway = "192.0.2.1" } }
local PAGE = "https://www.example.com/"
local A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"

-- A connection that was lost long enough to be told of.
local function outage(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "1s"
  return net
end

-- And is back, so that the page is asked for.
local function back(sim)
  local net = outage(sim)
  net.restore "wlan0"
  return net
end

t.case("a connected start shows nothing and loads nothing", function(sim)
  local net = sim.network(HOME)
  sim.advance "10m"
  net.join("wlan0", { ssid = "office", address = "198.51.100.7/24", gateway = "198.51.100.1" })
  sim.advance "10m"
  sim.expect { path = { changed = { network = true } } }
  sim.expect_nothing()
end)

t.case("an outage is one error with two buttons, once it lasts", function(sim)
  local net = sim.network(HOME)
  net.drop "wlan0"; sim.advance "999ms"; sim.expect { alerts = {} }
  sim.advance "1ms"
  sim.expect { actions = {}, alerts = { { key = "error", title = "The page cannot be reached", severity = "warning",
    buttons = { { id = "retry", label = "Try again" }, { id = "web", label = "View in browser" } } } } }
  sim.advance "1h"
  sim.expect_count("alert.raised", 1); sim.expect_count("action.started", 0)
end)

t.case("the return clears the error and loads the page, once", function(sim)
  local net = back(sim)
  sim.expect { alerts = {}, actions = { { kind = "http", method = "GET", url = PAGE } } }
  sim.finish_action "page"
  net.join("wlan0", { ssid = "office", address = "198.51.100.7/24", gateway = "198.51.100.1" })
  sim.advance "1h"
  sim.expect { alerts = {} }; sim.expect_count("action.started", 1)
end)

t.case("a start without a connection is told, and its end loads the page", function(sim)
  sim.path { status = "unsatisfied" }
  sim.advance "5s"; sim.expect { alerts = { { title = "The page cannot be reached" } } }
  sim.path { status = "satisfied" }
  sim.expect { alerts = {}, actions = { { url = PAGE } } }
end)

t.case("Try again waits for the connection, and is the one load after it", function(sim)
  local net = outage(sim)
  for _ = 1, 5 do sim.press("error", "retry") end
  net.down "wlan0"; sim.advance "10m"                 -- another reason, still no connection
  sim.expect { actions = {}, alerts = { { title = "The page cannot be reached" } } }
  net.up "wlan0"; net.restore "wlan0"; sim.expect { alerts = {} }
  sim.advance "2s"; sim.expect { actions = { { url = PAGE } } }
  sim.finish_action "page"; sim.advance "10m"
  sim.expect_count("action.started", 1); sim.expect_count("action.dropped", 0)
end)

t.case("a page that does not answer is tried four times before people hear of it", function(sim)
  back(sim)
  for _, wait in ipairs { { "499ms", "501ms" }, { "999ms", "1001ms" }, { "1999ms", "2001ms" } } do
    sim.finish_action("page", { error = "no answer" })
    sim.advance(wait[1]); sim.expect { actions = {} }
    sim.advance(wait[2]); sim.expect { actions = { { url = PAGE } }, alerts = {} }
  end
  sim.finish_action("page", { error = "no answer" })
  sim.expect { alerts = { { title = "The page does not answer", body = "no answer" } } }
  sim.advance "1h"; sim.expect { actions = {} }
end)

t.case("where the first wait is longer, two tries are still never more than a minute apart", function(sim)
  sim.config { attempts = 20, base = "8s" }
  back(sim)
  sim.finish_action("page", { error = "no answer" })
  sim.advance "3999ms"; sim.expect { actions = {} }
  for _ = 1, 6 do sim.advance "1m"; sim.finish_action("page", { error = "no answer" }) end
  sim.advance "29999ms"; sim.expect { actions = {} }
  sim.advance "30001ms"; sim.expect { actions = { { url = PAGE } } }
end)

t.case("Try again asks a silent page once, and a good answer clears the error", function(sim)
  sim.config { attempts = 1 }
  back(sim)
  sim.finish_action("page", { error = "no answer" })
  sim.press("error", "retry"); sim.press("error", "retry")
  sim.expect { actions = { { url = PAGE } }, alerts = { { title = "The page does not answer" } } }
  sim.finish_action "page"
  sim.expect { alerts = {}, actions = {} }; sim.expect_count("action.started", 2)
end)

t.table("a silent page gives way to the next, all the way round", {
  { name = "the first seen", silent = {}, seen = A, order = { A, B, C } },
  { name = "the second seen", silent = { A }, seen = B, order = { B, C, A } },
  { name = "the third seen", silent = { A, B }, seen = C, order = { C, A, B } },
}, function(sim, row)
  sim.config { pages = { A, B, C }, attempts = 1 }
  local net = back(sim)
  for _, url in ipairs(row.silent) do
    sim.expect { actions = { { url = url } } }
    sim.finish_action("page", { error = "no answer" })
  end
  sim.finish_action "page"
  net.drop "wlan0"; sim.advance "1s"
  sim.press("error", "web"); sim.expect { actions = { { kind = "open_url", url = row.seen } } }
  sim.finish_action "web"; net.restore "wlan0"
  for _, url in ipairs(row.order) do
    sim.expect { actions = { { url = url } }, alerts = {} }
    sim.finish_action("page", { error = "not by " .. url })
  end
  sim.expect { actions = {}, alerts = { { body = "not by " .. row.order[3] } } }
end)

t.case("a drop in mid-load is an outage, and what was begun is not waited for", function(sim)
  local net = back(sim)
  net.drop "wlan0"; sim.advance "1s"
  sim.expect { actions = {}, alerts = { { title = "The page cannot be reached" } } }
  net.restore "wlan0"
  sim.expect { actions = { { url = PAGE } }, alerts = {} }; sim.expect_count("action.started", 2)
end)

t.case("a failure in a drop too short to tell is not taken for a dead page", function(sim)
  local net = back(sim)
  net.drop "wlan0"; sim.finish_action("page", { error = "no route" })
  sim.advance "500ms"; net.restore "wlan0"; sim.advance "2s"
  sim.expect { actions = { { url = PAGE } }, alerts = {} }
end)

t.case("a browser that opens changes nothing, however often it is asked for", function(sim)
  outage(sim)
  for _ = 1, 3 do sim.press("error", "web") end
  sim.finish_action "web"; sim.finish_action "web"
  sim.expect { actions = {}, alerts = { { title = "The page cannot be reached" } } }
  sim.expect_count("alert.updated", 0)
end)

t.case("a browser that does not open is told while the error is up, and not after it", function(sim)
  local net = outage(sim)
  sim.press("error", "web"); sim.finish_action("web", { error = "none is installed" })
  sim.expect { alerts = { { title = "No browser opened", body = "none is installed" } } }
  sim.press("error", "web"); net.restore "wlan0"
  sim.finish_action("web", { error = "none is installed" })
  sim.expect { alerts = {} }
end)

t.case("closed, the error stays away until there is news, and the page is loaded still", function(sim)
  sim.config { attempts = 1 }
  local net = outage(sim)
  sim.dismiss "error"
  net.down "wlan0"; sim.advance "1m"
  sim.expect { alerts = {}, path = { changed = { reason = true } } }
  net.up "wlan0"; net.restore "wlan0"; sim.expect { actions = { { url = PAGE } } }
  sim.finish_action("page", { refused = true, error = "it is not granted" })
  sim.expect { alerts = { { title = "The page does not answer", body = "it is not granted" } } }
end)

t.case("behind a login page it is the page that does not answer, and the browser helps", function(sim)
  local net = outage(sim)
  net.captive("wlan0", true); net.restore "wlan0"; sim.advance "1m"
  sim.expect { alerts = { { title = "The page does not answer",
    body = "the network answered with status 302, a redirection" } } }
  sim.press("error", "web"); sim.expect { actions = { { kind = "open_url", url = PAGE } } }
end)

t.case("killed while the page is asked for, it asks again, and hears the answer", function(sim)
  sim.config { pages = { A, B }, attempts = 2 }
  back(sim)
  sim.restart { after = "1m" }
  sim.advance "2s"; sim.expect { actions = { { url = A } } }
  sim.finish_action("page", { error = "no answer" }); sim.advance "2s"
  sim.finish_action("page", { error = "no answer" }); sim.advance "2s"
  sim.expect { actions = { { url = B } }, alerts = {} }
end)

t.case("killed while Try again waits, it loads the page once, and says nothing of it", function(sim)
  local net = outage(sim)
  sim.press("error", "retry")
  sim.restart { after = "1m" }
  sim.advance "10s"; net.restore "wlan0"; sim.advance "5s"
  sim.expect { actions = { { url = PAGE } }, alerts = {} }
  sim.finish_action "page"; sim.advance "1m"
  sim.expect { actions = {}, alerts = {} }; sim.expect_count("action.started", 1)
end)

t.case("a reload in mid-load forgets neither which page is asked for nor which one answered", function(sim)
  sim.config { pages = { A, B, C }, attempts = 1 }
  local net = back(sim)
  sim.finish_action("page", { error = "no answer" }); sim.reload()
  sim.finish_action("page", { error = "no answer" }); sim.expect { actions = { { url = C } } }
  sim.reload(); sim.finish_action "page"
  net.drop "wlan0"; sim.advance "1s"; net.restore "wlan0"; sim.expect { actions = { { url = C } } }
end)

t.table("pages that were changed meanwhile count from then on", {
  { name = "by a reload", verb = "reload" }, { name = "by a restart", verb = "restart" },
}, function(sim, row)
  sim.config { pages = { A, B }, attempts = 1 }
  local net = back(sim)
  sim.finish_action("page", { error = "no answer" }); sim.finish_action "page"     -- B was seen
  sim[row.verb] { config = { pages = { C, A }, attempts = 1 } }
  sim.advance "1m"; net.drop "wlan0"; sim.advance "1s"
  sim.press("error", "web"); sim.expect { actions = { { url = C } } }
  sim.finish_action "web"; net.restore "wlan0"; sim.expect { actions = { { url = C } } }
end)

t.case("an answer of a page that was taken out meanwhile ends the waiting for it", function(sim)
  sim.config { attempts = 1 }
  back(sim)
  sim.reload { config = { pages = { A }, attempts = 1 } }
  sim.finish_action("page", { error = "no answer" })
  sim.expect { actions = {}, alerts = { { title = "The page does not answer" } } }
  sim.press("error", "retry"); sim.expect { actions = { { url = A } } }
end)

t.case("a page has ten seconds to answer, and the first installed browser is opened", function(sim)
  local net = outage(sim)
  sim.press("error", "web")
  sim.expect { actions = { { kind = "open_url", browser = { "chrome", "default" } } } }
  sim.finish_action "web"; net.restore "wlan0"; sim.expect { actions = { { url = PAGE, timeout = "10s" } } }
end)

t.case("after a reload in mid-load, an answer that comes late does not hide an outage", function(sim)
  local net = back(sim)
  sim.reload(); net.drop "wlan0"; sim.advance "1s"
  sim.finish_action "page"; sim.expect { alerts = { { title = "The page cannot be reached" } } }
  net.restore "wlan0"; sim.expect { actions = { { url = PAGE } }, alerts = {} }
end)

t.property("flapping shows one error for an outage and loads once for a return", { runs = 100 }, function(sim, gen)
  local net = sim.network(HOME)
  sim.play(gen.flaps { events = 40, max_gap = "5s" })
  t.check(sim.count "alert.raised" <= sim.count "path.unsatisfied", "more errors than outages")
  t.check(sim.count "action.started" <= sim.count "path.satisfied", "more loads than returns")
  net.restore "wlan0"; sim.expect { alerts = {} }
end)
