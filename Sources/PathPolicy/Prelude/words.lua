-- The policy API, version 1. Runs inside each policy's state before the policy does, is handed the
-- sandbox's host functions, and returns the one function that Netvane calls.
--
-- A handler's decisions are collected by the sandbox and go out together when it returns.
--
-- The prelude is one chunk in six files, in this order: words, errors, checks, loading, verbs, calling.
local host = ...
local env = host.env
local type, pairs, ipairs, tostring, select = env.type, env.pairs, env.ipairs, env.tostring, env.select
local tonumber, pcall = env.tonumber, env.pcall
local tointeger, maxinteger = env.math.tointeger, env.math.maxinteger
local utf8_len = env.utf8.len
local find, sub, byte = env.string.find, env.string.sub, env.string.byte
local concat, unpack = env.table.concat, env.table.unpack
local setmetatable, getmetatable = host.setmetatable, host.getmetatable
local next_entry, raise_error = host.next, env.error
local decide_now, fits = host.decide, host.fits

local KEY_MAX, TEXT_MAX, TITLE_MAX = 128, 4096, 256
local FAULT_KEY = "policy-fault"   -- of the alert that Netvane itself raises
local LOGS_PER_HANDLER = 32
local WORDS_KEPT = 256         -- durations and keys that were read before
local STATE_MAX = 64 * 1024
local ENTRIES_TRIED = 64       -- more than any table of the API has
local AROUND_STATE, AROUND_VALUE = 1, 3   -- tables around them in what goes out
local RETRY_BASE = 1000000000
local YEAR = 366 * 86400 * 1000000000

-- The table of the API: what may be written where. `type` is a Lua type or one of the checks below.
local API = {
  policy = {
    api = { type = "number", required = true }, description = { type = "string" },
    enabled = { type = "boolean" }, version = { type = "version" }, migrate = { type = "function" },
    monitors = { type = "table" }, settle = { type = "settle" }, config = { type = "table" },
    state = { type = "table" }, every = { type = "table" },
    on_start = { type = "function" }, on_path = { type = "function" },
    on_timer = { type = "function" }, on_button = { type = "function" },
    on_dismissed = { type = "function" }, on_result = { type = "function" },
    on_system = { type = "function" },
  },
  monitor = {
    required = { type = "interface type" }, prohibited = { type = "list of interface types" },
    interface = { type = "name" }, ignore = { type = "list of names" }, bound = { type = "boolean" },
    settle = { type = "settle" }, settle_max = { type = "duration" },
  },
  alert = {
    key = { type = "key", required = true }, title = { type = "title", required = true },
    body = { type = "text" }, severity = { type = "severity" }, expires = { type = "delay" },
    buttons = { type = "buttons" }, channel = { type = "name" },
  },
  button = { id = { type = "key", required = true }, label = { type = "title", required = true } },
  exec = {
    key = { type = "key", required = true }, command = { type = "name", required = true },
    args = { type = "list of arguments" }, timeout = { type = "delay" },
    only_while = { type = "status" }, limit = { type = "limit" }, disturbs = { type = "delay" },
  },
  open_url = {
    key = { type = "key", required = true }, url = { type = "url", required = true },
    browser = { type = "list of names" }, cooldown = { type = "duration" },
    only_while = { type = "status" }, limit = { type = "limit" },
  },
  http = {
    key = { type = "key", required = true }, url = { type = "url", required = true },
    method = { type = "method" }, body = { type = "body" }, headers = { type = "headers" },
    expect = { type = "expectation" }, interface = { type = "name" }, timeout = { type = "delay" },
    only_while = { type = "status" }, limit = { type = "limit" },
  },
  expectation = { status = { type = "status code" }, contains = { type = "title" } },
  retry = {
    key = { type = "key", required = true }, exec = { type = "table" }, http = { type = "table" },
    open_url = { type = "table" }, base = { type = "delay" }, cap = { type = "delay" },
    attempts = { type = "version" }, within = { type = "delay" }, during = { type = "during" },
    now = { type = "boolean" }, only_while = { type = "status" }, limit = { type = "limit" },
  },
  timer = { until_change = { type = "monitor" }, across_reboot = { type = "boolean" } },
}

local TYPES = { "wifi", "wired", "cellular", "loopback", "other", "wiredEthernet" }
local SEVERITIES = { "info", "warning", "critical" }
local STATUSES = { "satisfied", "unsatisfied", "requiresConnection" }
local METHODS = { "GET", "HEAD", "POST", "PUT" }
local HANDLERS = {
  "on_start", "on_path", "on_timer", "on_button", "on_dismissed", "on_result", "on_system",
}

-- What `ev` of a path may hold; any of it may be nil.
local PATH_FIELDS = {
  monitor = true, status = true, reason = true, why = true, interface = true, type = true,
  interfaces = true, alternatives = true, uses = true, ipv4 = true, ipv6 = true, dns = true,
  expensive = true, constrained = true, expensive_source = true, gateways = true, network = true,
  initial = true, changed = true, causes = true, flaps = true, since = true, previous = true,
  sequence = true, time = true, self_inflicted = true, unsatisfied_reason = true,
}
-- The kinds of record that Netvane hands in.
local FIELDS = {
  path = PATH_FIELDS, start = { reason = true }, timer = { name = true, late = true },
  button = { key = true, button = true }, dismissed = { key = true }, system = { what = true },
  result = {
    key = true, kind = true, ok = true, error = true, attempt = true, refused = true, dropped = true,
    exit = true, signal = true, status_code = true, output = true,
  },
  time = { hour = true, minute = true, weekday = true, date = true, zone = true },
}

-- The keys that each table of the API must have, in order.
local REQUIRED = {}
for _, spec in pairs(API) do
  local list = {}
  for key, rule in pairs(spec) do
    if rule.required then list[#list + 1] = key end
  end
  REQUIRED[spec] = list
end

local policy, monitors, state_bytes
-- The last event that each monitor delivered; Netvane sends along what this state has not seen.
local known = {}
-- Alerts that are up and timers that run, by key and name; Netvane sends them when they change otherwise.
local alerts, timers = {}, {}
-- The call that is running: its handler's name and function, its event, its clock on the wall.
local ctx, handler_name, handler, event, wall_time, logs

-- What `ctx` has; each call gets a table of its own that stands before this one.
local members = {}
