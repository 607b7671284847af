---@meta netvane
-- Made by `netvane api`; changes are lost when it is run again.
-- luacheck: ignore 631

---A length of time such as "250ms", "10s" or "1m30s".
---@alias netvane.Duration string

---How much an alert matters.
---@alias netvane.Severity "info"|"warning"|"critical"

---Whether there is a path.
---@alias netvane.Status "satisfied"|"unsatisfied"|"requiresConnection"

---Why the status is what it is.
---@alias netvane.Reason "none"|"noInterface"|"noCarrier"|"noAddress"|"noRoute"|"routeRefused"|"deadDefaultRoute"|"uplinkPortDown"|"noUnderlay"|"dormant"|"filteredOut"|"radioOff"|"unknown"

---The same in the words of Apple's NWPath.
---@alias netvane.UnsatisfiedReason "notAvailable"|"cellularDenied"|"wifiDenied"|"localNetworkDenied"|"vpnInactive"

---What an interface is.
---@alias netvane.InterfaceType "wifi"|"wired"|"cellular"|"loopback"|"other"

---What an interface is, in filters.
---@alias netvane.FilterType "wifi"|"wired"|"cellular"|"loopback"|"other"|"wiredEthernet"

---What a request asks of the server.
---@alias netvane.Method "GET"|"HEAD"|"POST"|"PUT"

---Why there is an event.
---@alias netvane.Cause "status"|"reason"|"interface"|"network"|"families"|"dns"|"cost"|"flapping"|"resumed"|"resync"

---Who says what a path costs.
---@alias netvane.CostSource "none"|"type"|"driver"|"config"

---Why a policy begins.
---@alias netvane.StartReason "boot"|"start"|"reload"

---What happened to the machine, or to Netvane's view of it.
---@alias netvane.SystemEvent "asleep"|"resumed"|"gap"

---What an action does.
---@alias netvane.ActionKind "exec"|"open_url"|"http"

---What a policy file returns.
---@class (exact) netvane.Policy
---@field api integer the version of this API: 1
---@field description? string one line for people
---@field enabled? boolean false: listed, not run (default: true)
---@field monitors? table<string, netvane.Monitor> what is watched, each with a filter of its own; 1 to 32 (default: { internet = {} })
---@field settle? netvane.Duration|(fun(ctx: netvane.Context, ev: netvane.Event.Path): netvane.Duration) how long a change must hold before `on_path` hears of it; a function is asked each time; at most a day (default: "250ms", nothing for what becomes satisfied)
---@field config? table<string, any> settings and their defaults; the operator's values go over them; plain data: no functions, no cycles, 16 tables deep at most (default: {})
---@field state? table<string, any> what `ctx.state` holds at first; plain data: no functions, no cycles, 16 tables deep at most (default: {})
---@field version? integer of the form of the state; whole, from 1 on
---@field migrate? fun(old: table, from: integer): table returns the new state for one of an older `version`
---@field every? table<string, netvane.Duration> timers that come back; `on_timer` hears them; at most 32, from 1s on
---@field on_start? fun(ctx: netvane.Context, ev: netvane.Event.Start) the policy begins
---@field on_path? fun(ctx: netvane.Context, ev: netvane.Event.Path) a change has held
---@field on_timer? fun(ctx: netvane.Context, ev: netvane.Event.Timer) a timer fires
---@field on_button? fun(ctx: netvane.Context, ev: netvane.Event.Button) somebody pressed a button of an alert
---@field on_dismissed? fun(ctx: netvane.Context, ev: netvane.Event.Dismissed) somebody closed an alert
---@field on_result? fun(ctx: netvane.Context, ev: netvane.Event.Result) an action ended, or was given up
---@field on_system? fun(ctx: netvane.Context, ev: netvane.Event.System) the machine slept or woke, or news was lost

---One entry of `monitors`.
---@class (exact) netvane.Monitor
---@field required? netvane.FilterType only interfaces of this type count, at any layer
---@field prohibited? netvane.FilterType|netvane.FilterType[] interfaces of these types do not count; at most 64 (default: {})
---@field interface? string only this one counts: a name, an altname or a pattern (`wlan*`); 1 to 128 bytes
---@field ignore? string|string[] these do not count, such as one's own tunnel; at most 64 (default: {})
---@field bound? boolean ask what a program bound to an interface would get (default: false)
---@field settle? netvane.Duration|(fun(ctx: netvane.Context, ev: netvane.Event.Path): netvane.Duration) for this monitor instead of the policy's; at most a day
---@field settle_max? netvane.Duration a path that keeps changing is reported after this long, and again each time it has passed; at most a year (default: the larger of "30s" and four times settle)

---What `ctx.alert.raise` takes.
---@class (exact) netvane.Alert
---@field key string names the alert; raised again it is updated; 1 to 128 bytes
---@field title string|number one line; not empty; cut after 256 bytes
---@field body? string|number more of it; cut after 4096 bytes (default: "")
---@field severity? netvane.Severity how much it matters (default: "info")
---@field expires? netvane.Duration it goes by itself after this; more than nothing, at most a year
---@field buttons? netvane.Button[] what `on_button` may hear; at most 8
---@field channel? string where it is shown, for those who show alerts; 1 to 128 bytes

---One entry of `buttons`.
---@class (exact) netvane.Button
---@field id string what `ev.button` is; 1 to 128 bytes
---@field label string|number what people read; not empty; cut after 256 bytes

---The third argument of `ctx.timer.start`.
---@class (exact) netvane.TimerOptions
---@field until_change? string it ends without firing when this monitor tells a change
---@field across_reboot? boolean it goes on after a reboot (default: false)

---What `ctx.exec` takes. Its key apart.
---@class (exact) netvane.ExecAction
---@field command string what the configuration grants under this name; 1 to 128 bytes
---@field args? string|number|(string|number)[] go behind the granted arguments; at most 64, 32 KiB together (default: {})
---@field timeout? netvane.Duration it is ended after this; at most an hour (default: "30s")
---@field disturbs? netvane.Duration so long, changes of the network are its doing; more than nothing, at most a year
---@field only_while? netvane.Status not begun while the path has another status, told or not; dropped from the queue when another is told
---@field limit? string so many runs in any such stretch of time; up to 1000 in up to a year

---What `ctx.exec` takes.
---@class (exact) netvane.Exec: netvane.ExecAction
---@field key string one of a key is at work, one waits behind it; 1 to 128 bytes

---What `ctx.open_url` takes. Its key apart.
---@class (exact) netvane.OpenURLAction
---@field url string of a host that is granted; at most 2048 bytes
---@field browser? string|string[] the first of these that is installed, such as `{ "chrome", "default" }`; at most 16
---@field cooldown? netvane.Duration not sooner than this after the last time; at most a year (default: "0s")
---@field only_while? netvane.Status not begun while the path has another status, told or not; dropped from the queue when another is told
---@field limit? string so many runs in any such stretch of time; up to 1000 in up to a year

---What `ctx.open_url` takes.
---@class (exact) netvane.OpenURL: netvane.OpenURLAction
---@field key string one of a key is at work, one waits behind it; 1 to 128 bytes

---What `ctx.http` takes. Its key apart.
---@class (exact) netvane.HTTPAction
---@field url string of a host that is granted; at most 2048 bytes
---@field method? netvane.Method what is asked of the server (default: "GET")
---@field body? string what is sent; UTF-8, at most 64 KiB
---@field headers? table<string, string> more lines of the request; at most 32
---@field expect? integer|netvane.Expectation what a good answer is (default: 200 to 299)
---@field interface? string to send through this one; 1 to 128 bytes
---@field timeout? netvane.Duration it is given up after this; at most an hour (default: "10s")
---@field only_while? netvane.Status not begun while the path has another status, told or not; dropped from the queue when another is told
---@field limit? string so many runs in any such stretch of time; up to 1000 in up to a year

---What `ctx.http` takes.
---@class (exact) netvane.HTTP: netvane.HTTPAction
---@field key string one of a key is at work, one waits behind it; 1 to 128 bytes

---The table form of `expect`.
---@class (exact) netvane.Expectation
---@field status? integer of the answer; 100 to 599 (default: 200 to 299)
---@field contains? string|number a piece of the body; UTF-8, 1 to 1024 bytes

---What `ctx.retry` takes: one of `exec`, `http` and `open_url`, tried until it succeeds.
---@class (exact) netvane.Retry
---@field key string the action's; the tables below leave theirs out; 1 to 128 bytes
---@field exec? netvane.ExecAction as `ctx.exec` takes it
---@field http? netvane.HTTPAction as `ctx.http` takes it
---@field open_url? netvane.OpenURLAction as `ctx.open_url` takes it
---@field base? netvane.Duration the first wait; it doubles with each failure; more than nothing, at most a year (default: "1s")
---@field cap? netvane.Duration the longest wait; more than nothing, at most a year (default: "2m")
---@field attempts? integer so many tries at most; whole, from 1 on
---@field within? netvane.Duration given up after so long, pauses left out; more than nothing, at most a year
---@field during? string|"always" it pauses while this path is gone (default: the first monitor)
---@field now? boolean the first try does not wait (default: false)
---@field only_while? netvane.Status not begun while the path has another status, told or not; dropped from the queue when another is told
---@field limit? string so many runs in any such stretch of time; up to 1000 in up to a year

---`ev` of `on_path` and of `settle`.
---@class (exact) netvane.Event.Path
---@field monitor string whose path it is
---@field status netvane.Status whether there is a path
---@field reason netvane.Reason why not, in one word
---@field why string a sentence for people
---@field unsatisfied_reason netvane.UnsatisfiedReason the same in Apple's words
---@field interface? string the name of the one that carries
---@field type? netvane.InterfaceType its type
---@field interfaces netvane.Interface[] best first
---@field alternatives netvane.Interface[] what could serve but is not chosen
---@field uses netvane.Uses types in use, what tunnels ride on included
---@field ipv4? netvane.Family how IPv4 leaves
---@field ipv6? netvane.Family how IPv6 leaves
---@field gateways string[] their addresses
---@field dns boolean whether a server that resolv.conf names can be routed to; not whether it answers
---@field expensive? boolean whether it costs money; nil when not satisfied
---@field expensive_source? netvane.CostSource who says so
---@field constrained? boolean whether it is to be spared; nil when not satisfied
---@field network netvane.Network which network it is, where known
---@field initial boolean whether this is the first verdict
---@field changed netvane.Changed what differs from `previous`
---@field causes netvane.Cause[] why there is an event
---@field flaps netvane.Flaps changes of status so far
---@field since? netvane.Duration how long the previous status lasted
---@field previous? netvane.Event.Path the event before, without its own previous
---@field pending? netvane.Status the status that waits to be told, as of now, if it is another; not in a `settle`
---@field sequence integer counts the events of a monitor
---@field time string when, as RFC 3339 writes it
---@field self_inflicted boolean whether an action that `disturbs` explains it

---`ev` of `on_start`.
---@class (exact) netvane.Event.Start
---@field reason netvane.StartReason the machine started, Netvane did, or an edit

---`ev` of `on_timer`.
---@class (exact) netvane.Event.Timer
---@field name string the timer's
---@field late netvane.Duration how long after its time, as when the machine slept

---`ev` of `on_button`.
---@class (exact) netvane.Event.Button
---@field key string the alert's
---@field button string the button's id

---`ev` of `on_dismissed`.
---@class (exact) netvane.Event.Dismissed
---@field key string the alert's

---`ev` of `on_result`.
---@class (exact) netvane.Event.Result
---@field key string the action's
---@field kind netvane.ActionKind what it was
---@field ok boolean whether it went well
---@field refused boolean whether it was not allowed, as when it is not granted
---@field dropped boolean whether it was given up: cancelled, or replaced by a newer one
---@field attempt integer which try it was, from 1 on; 0: it was never begun
---@field output string the beginning of what it wrote, or of the answer
---@field error? string what went wrong, a sentence for people
---@field exit? integer the command's exit code
---@field signal? integer what ended the command
---@field status_code? integer of the server's answer

---`ev` of `on_system`.
---@class (exact) netvane.Event.System
---@field what netvane.SystemEvent what happened

---`ctx.time`: the clock on the wall.
---@class (exact) netvane.Time
---@field hour integer 0 to 23
---@field minute integer 0 to 59
---@field weekday integer 1 is Monday, 7 is Sunday
---@field date string such as 2026-05-01
---@field zone string such as CEST

---One entry of `ev.interfaces` and `ev.alternatives`.
---@class (exact) netvane.Interface
---@field name string as the kernel calls it
---@field type netvane.InterfaceType what it is
---@field kind string the kernel's word for its kind, such as `wireguard`, or empty
---@field tunnel boolean whether it is one
---@field underlay? string what the tunnel rides on

---`ev.ipv4` and `ev.ipv6`.
---@class (exact) netvane.Family
---@field interface string its name
---@field tunnel boolean whether it is one
---@field gateway? string its address

---`ev.network`.
---@class (exact) netvane.Network
---@field id? string tells one network from another
---@field name? string for people
---@field ssid? string of Wi-Fi

---`ev.flaps`: changes of status as the kernel showed them, told or not.
---@class (exact) netvane.Flaps
---@field last_1m integer in the last minute
---@field last_10m integer in the last ten minutes
---@field last_1h integer in the last hour

---`ev.uses`: true for each type in use.
---@class (exact) netvane.Uses
---@field wifi? boolean
---@field wired? boolean
---@field cellular? boolean
---@field loopback? boolean
---@field other? boolean

---`ev.changed`: true for what differs.
---@class (exact) netvane.Changed
---@field status? boolean
---@field reason? boolean
---@field interface? boolean
---@field network? boolean
---@field families? boolean
---@field dns? boolean
---@field cost? boolean
---@field flapping? boolean

---What a handler can do.
---@class (exact) netvane.Context
---@field config table the settings, read only
---@field state table what the policy keeps; it outlives the process
---@field time netvane.Time the clock on the wall
---@field alert netvane.Context.Alert alerts
---@field timer netvane.Context.Timer timers
---@field path fun(monitor: string): netvane.Event.Path? the last event of a monitor, or nil
---@field publish fun(name: string, value: any) a value for others to observe; told when it differs (keys are UTF-8)
---@field log fun(...: any) a line for people
---@field exec fun(options: netvane.Exec) runs a command that the configuration grants
---@field open_url fun(options: netvane.OpenURL) shows a page
---@field http fun(options: netvane.HTTP) sends a request
---@field retry fun(options: netvane.Retry) tries one of these again until it succeeds
---@field cancel fun(key: string) ends an action, and what waits behind it

---Alerts.
---@class (exact) netvane.Context.Alert
---@field raise fun(options: netvane.Alert) shows an alert, or changes the one of this key
---@field resolve fun(key: string) ends an alert; nothing happens if there is none
---@field active fun(key: string): boolean whether it is up

---Timers, by name.
---@class (exact) netvane.Context.Timer
---@field start fun(name: string, duration: netvane.Duration, options?: netvane.TimerOptions) starts a timer, anew if it runs
---@field start_once fun(name: string, duration: netvane.Duration, options?: netvane.TimerOptions) starts it unless it runs
---@field cancel fun(name: string) ends it
---@field active fun(name: string): boolean whether it runs
