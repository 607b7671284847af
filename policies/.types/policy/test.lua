---@meta policy.test
-- Made by `netvane api`; changes are lost when it is run again.
-- luacheck: ignore 631

---What a test counts.
---@alias netvane.TestEvent "alert.raised"|"alert.updated"|"alert.dismissed"|"alert.expired"|"alert.resolved"|"path.satisfied"|"path.unsatisfied"|"path.requiresConnection"|"action.started"|"action.waiting"|"action.succeeded"|"action.failed"|"action.refused"|"action.dropped"|"published"|"log"|"fault"

---The second argument of `t.property`.
---@class (exact) netvane.test.Property
---@field runs? integer how many (default: 100)
---@field seed? integer what is drawn from (default: that of `--seed`)

---One interface of `sim.network`, and what `net.add` takes.
---@class (exact) netvane.test.Interface
---@field type? netvane.InterfaceType what it is (default: "wired")
---@field kind? string `device`, `virtual`, `tun` or `wireguard` (default: "device")
---@field address? string|string[] with the prefix, as in `192.0.2.10/24`
---@field gateway? string|string[] where its default routes lead
---@field metric? integer of its default routes (default: 100 wired, 600 wifi, 700 cellular)
---@field ssid? string of Wi-Fi
---@field expensive? boolean whether it costs money
---@field constrained? boolean whether it is to be spared

---What `net.join` and `net.roam` take.
---@class (exact) netvane.test.Join
---@field ssid? string of Wi-Fi
---@field address? string|string[] with the prefix
---@field gateway? string|string[] where the default routes lead

---What `net.vpn` takes.
---@class (exact) netvane.test.Tunnel
---@field name string the tunnel's
---@field over string what it rides on
---@field address? string|string[] with the prefix
---@field gateway? string|string[] through it
---@field metric? integer of its default routes (default: 50)

---What `sim.path` takes.
---@class (exact) netvane.test.Path
---@field status? netvane.Status whether there is a path (default: "satisfied")
---@field type? netvane.InterfaceType of what carries (default: "wifi")
---@field expensive? boolean whether it costs money
---@field constrained? boolean whether it is to be spared (default: false)
---@field dns? boolean whether names can be resolved (default: true)
---@field ssid? string of Wi-Fi

---How an action ends.
---@class (exact) netvane.test.Result
---@field ok? boolean whether it went well (default: true without `error`)
---@field error? string what went wrong
---@field refused? boolean whether it was not allowed (default: false)
---@field exit? integer a command's exit code
---@field output? string what it wrote
---@field status_code? integer of a server's answer

---What `sim.reload` takes.
---@class (exact) netvane.test.Reload
---@field config? table the operator's settings from then on, as of `sim.config` (default: as before)

---What `sim.restart` takes.
---@class (exact) netvane.test.Restart
---@field reboot? boolean whether the machine starts anew, too (default: false)
---@field after? netvane.Duration how long nothing runs; at most a year (default: "0s")
---@field config? table the operator's settings from then on, as of `sim.config` (default: as before)

---What `sim.expect` takes. What is not named may be so or so; an empty list means none.
---@class (exact) netvane.test.Expectation
---@field alerts? table[] those that are up
---@field published? table values by name
---@field timers? any[] those that run
---@field actions? netvane.test.Action[] those at work, as below
---@field log? string[] lines that were logged
---@field path? table the last event, or that of `monitor`: fields of `ev`, `self_inflicted` too

---One action that `sim.expect` names.
---@class (exact) netvane.test.Action
---@field key? string its key
---@field kind? string `exec`, `open_url` or `http`
---@field command? string of `exec`
---@field args? string[] of `exec`
---@field url? string of `open_url` and `http`
---@field method? string of `http`
---@field browser? string|string[] of `open_url`: those to choose from
---@field timeout? netvane.Duration of `exec` and `http`, their default included; at most a year
---@field disturbs? netvane.Duration so long, changes are its doing; at most a year
---@field limit? string how often it may run, as in `3/1h`

---What `gen.flaps` takes.
---@class (exact) netvane.test.Flaps
---@field events? integer how many (default: 20)
---@field max_gap? netvane.Duration the longest rest; at most a year (default: "30s")
---@field interface? string which (default: the first)

---What `gen.roaming` takes.
---@class (exact) netvane.test.Roaming
---@field moves? integer how many (default: 10)
---@field networks? integer how many there are (default: 3)
---@field max_gap? netvane.Duration the longest rest; at most a year (default: "5m")
---@field interface? string which (default: the first)

---What `gen.sleep` takes.
---@class (exact) netvane.test.Sleep
---@field times? integer how often (default: 5)
---@field max_sleep? netvane.Duration the longest sleep; at most a year (default: "12h")
---@field max_gap? netvane.Duration the longest time awake; at most a year (default: "1h")

---What `require "policy.test"` gives.
---@class (exact) netvane.test.T
---@field case fun(name: string, body: fun(sim: netvane.test.Sim)) one case
---@field table fun(name: string, rows: table[], body: fun(sim: netvane.test.Sim, row: table)) a case for each row; `row.name` is part of its name
---@field property fun(name: string, options: netvane.test.Property, body: fun(sim: netvane.test.Sim, gen: netvane.test.Gen))|fun(name: string, body: fun(sim: netvane.test.Sim, gen: netvane.test.Gen)) a case over many drawn runs; one that fails is shortened
---@field example fun(property: string, runs: any[]): fun(sim: netvane.test.Sim) the body for `t.case` that runs a property with what was drawn before
---@field check fun(holds: any, message?: string) fails unless true
---@field equal fun(got: any, wanted: any, message?: string) fails unless both are the same

---The world of one case.
---@class (exact) netvane.test.Sim
---@field config fun(settings: table) the operator's settings; before the start
---@field network fun(interfaces: table): netvane.test.Net the network, by interface (and `dns`: a list, or false); starts the policy
---@field path fun(options: netvane.test.Path) a network that gives such a path, instead of one by name
---@field advance fun(time: netvane.Duration) time passes
---@field sleep fun(time: netvane.Duration) the machine sleeps and wakes
---@field overrun fun() news of the kernel was lost
---@field press fun(key: string, button: string) presses a button
---@field dismiss fun(key: string) closes an alert
---@field finish_action fun(key: string, options?: netvane.test.Result) ends an action
---@field reload fun(options?: netvane.test.Reload) the text is loaded again; state, timers and alerts go on
---@field restart fun(options?: netvane.test.Restart) Netvane is killed, and started with what it kept; published values are told again
---@field play fun(run: any[][]) does the steps of a drawn run
---@field expect fun(options: netvane.test.Expectation) what must hold now; the rest may be so or so
---@field expect_soft fun(options: netvane.test.Expectation) the same, but the case goes on when it fails; all that failed is listed at its end
---@field expect_count fun(event: netvane.TestEvent, count: integer) how often it happened so far
---@field count fun(event: netvane.TestEvent): integer how often it happened
---@field mark fun() what happens from here on counts for the next two
---@field expect_nothing fun() nothing happened since the mark, or the start
---@field expect_order fun(events: netvane.TestEvent[]) these happened in this order
---@field expect_fuel fun(handler: string, most: integer) no call of a handler took more
---@field expect_fault fun(text: string) the policy failed, and says this

---The network of one case.
---@class (exact) netvane.test.Net
---@field drop fun(interface: string) its link loses the carrier and no more: a default route by it stays, dead, and no other interface takes over; for that take `net.down` or `net.remove`
---@field restore fun(interface: string) and has it again
---@field down fun(interface: string) it is switched off
---@field up fun(interface: string) it is switched on, with its addresses and routes
---@field join fun(interface: string, options: netvane.test.Join) it is in another network
---@field roam fun(interface: string, options: netvane.test.Join) the same, after a dormant moment
---@field add fun(interface: string, options: netvane.test.Interface) a new interface
---@field remove fun(interface: string) it is gone
---@field metered fun(interface: string, is: boolean) whether it costs money
---@field constrained fun(interface: string, is: boolean) whether it is to be spared
---@field captive fun(interface: string, is: boolean) whether requests meet a login page
---@field block fun(interface: string, is: boolean) whether its radio is off
---@field vpn fun(options: netvane.test.Tunnel) a tunnel
---@field dns fun(servers?: string[]|false) the name servers; false: none

---What a property draws.
---@class (exact) netvane.test.Gen
---@field integer fun(low: integer, high: integer): integer a number
---@field pick fun(list: any[]): any one of a list
---@field duration fun(low: netvane.Duration, high: netvane.Duration): netvane.Duration a duration
---@field flaps fun(options?: netvane.test.Flaps): any[][] a run: an interface comes and goes
---@field roaming fun(options?: netvane.test.Roaming): any[][] a run: from network to network
---@field sleep fun(options?: netvane.test.Sleep): any[][] a run: the machine sleeps and wakes

---@type netvane.test.T
local t = {}
return t
