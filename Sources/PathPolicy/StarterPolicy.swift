/// A small policy and its test, to start from.
package struct StarterPolicy: Hashable, Sendable {
  package var name: String

  package init(name: String) { self.name = name }

  package var files: [(name: String, text: String)] {
    [("\(name).lua", policy), ("\(name)_test.lua", test)]
  }

  private var policy: String {
    """
    -- Shows an alert while there is no connection. To start from: say here what yours does.
    ---@type netvane.Policy
    local policy = {
      api = 1,
      description = "Shows an alert while there is no connection.",
      config = { grace = "2s" },   -- settings and their defaults; config.lua may say otherwise
    }

    -- How long a change must hold before on_path hears of it.
    function policy.settle(ctx, ev)
      return ev.status == "satisfied" and "0s" or ctx.config.grace
    end

    -- The path changed, and it held.
    function policy.on_path(ctx, ev)
      if ev.status == "satisfied" then
        ctx.alert.resolve "offline"
      else
        ctx.alert.raise { key = "offline", title = "No connection", body = ev.why }
      end
    end

    return policy

    """
  }

  private var test: String {
    """
    -- Tests \(name).lua in the real engine, with a network that is made up and a clock that jumps.
    local t = require "policy.test"

    local HOME = { wlan0 = { type = "wifi", address = "192.0.2.10/24", gateway = "192.0.2.1" } }

    t.case("a loss is told once it has lasted for two seconds", function(sim)
      local net = sim.network(HOME)
      net.drop "wlan0"
      sim.advance "1999ms"
      sim.expect { alerts = {} }
      sim.advance "1ms"
      sim.expect { alerts = { { key = "offline", title = "No connection" } } }
    end)

    t.case("the alert goes when the connection is back", function(sim)
      local net = sim.network(HOME)
      net.drop "wlan0"
      sim.advance "3s"
      net.restore "wlan0"
      sim.expect { alerts = {} }
    end)

    """
  }
}
