-- The policy API, version 1. Runs inside each policy's state before the policy does, is handed the
-- sandbox's host functions, and returns the one function that Netvane calls.
--
-- A handler's decisions are collected in `intents` and go out together when it returns.
local host = ...
local env = host.env
local type, pairs, ipairs, tostring, select = env.type, env.pairs, env.ipairs, env.tostring, env.select
local tonumber, pcall = env.tonumber, env.pcall
local tointeger, maxinteger = env.math.tointeger, env.math.maxinteger
local utf8_len = env.utf8.len
local find, sub, byte = env.string.find, env.string.sub, env.string.byte
local concat, unpack = env.table.concat, env.table.unpack
local setmetatable, getmetatable, rawset = host.setmetatable, host.getmetatable, host.rawset
local next_entry, raise_error = host.next, env.error

local KEY_MAX, TEXT_MAX, TITLE_MAX = 128, 4096, 256
local LOGS_PER_HANDLER, INTENTS_PER_HANDLER = 32, 64
local DURATIONS_KEPT = 256
local STATE_MAX = 64 * 1024
local ENTRIES_TRIED = 64       -- more than any table of the API has
local AROUND_STATE, AROUND_VALUE = 1, 3   -- tables around them in what goes out
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
  timer = { until_change = { type = "monitor" }, across_reboot = { type = "boolean" } },
}

local TYPES = { "wifi", "wired", "cellular", "loopback", "other", "wiredEthernet" }
local SEVERITIES = { "info", "warning", "critical" }
local HANDLERS = { "on_start", "on_path", "on_timer", "on_button", "on_dismissed", "on_system" }

-- What `ev` may hold, by handler; any of it may be nil.
local PATH_FIELDS = {
  monitor = true, status = true, reason = true, why = true, interface = true, type = true,
  interfaces = true, alternatives = true, uses = true, ipv4 = true, ipv6 = true, dns = true,
  expensive = true, constrained = true, expensive_source = true, gateways = true, network = true,
  initial = true, changed = true, causes = true, flaps = true, since = true, previous = true,
  sequence = true, time = true, self_inflicted = true, unsatisfied_reason = true,
}
local FIELDS = {
  settle = PATH_FIELDS, on_path = PATH_FIELDS, on_start = { reason = true },
  on_timer = { name = true, late = true }, on_button = { key = true, button = true },
  on_dismissed = { key = true }, on_system = { what = true },
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
-- The last event of each monitor: the predecessor of the next one. Netvane sends along what this state
-- has not seen.
local known = {}
local ctx, intents, slots, logs, summary, request, handler

-- What `ctx` has; each call gets a table of its own that stands before this one.
local members = {}

-- Errors -----------------------------------------------------------------------------------------

-- Raises at a line of the function, for what only shows when it is done.
local function fail_in(fn, message)
  local line, file
  if type(fn) == "function" then line, file = host.line_of(fn) end
  raise_error((file or host.file) .. ":" .. (line or 1) .. ": " .. message, 0)
end

-- Raises at the line of the policy that is running, not at a line of this file. A tail call leaves
-- none; then it is the handler's first.
local function fail(message)
  local file, line = host.where()
  if file then raise_error(file .. ":" .. line .. ": " .. message, 0) end
  fail_in(handler, message)
end

-- Raises at the line that holds the first of these words that is found, for what is wrong in the
-- policy table.
local function fail_at(message, ...)
  local line
  for place = 1, select("#", ...) do
    local word = select(place, ...)
    line = line or type(word) == "string" and host.find_word(word)
  end
  raise_error(host.file .. ":" .. (line or host.find_word("return") or 1) .. ": " .. message, 0)
end

-- Raises for what cannot be written out; the message begins with the way to it.
local function fail_data(message)
  local _, _, word = find(message, "^[^:]-([%w_]+):")
  local _, _, root = find(message, "^([%w_]+)")
  fail_at(message, word, root)
end

local function distance(a, b)
  if #a > 40 or #b > 40 then return 99 end
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local cost = byte(a, i) == byte(b, j) and 0 or 1
      local best = diagonal + cost
      if row[j] + 1 < best then best = row[j] + 1 end
      if row[j - 1] + 1 < best then best = row[j - 1] + 1 end
      diagonal, row[j] = row[j], best
    end
  end
  return row[#b]
end

-- "; did you mean 'x'?" or "; it may be a, b or c".
local function hint(word, words)
  local best, least = nil, 4
  if type(word) == "string" then
    for _, candidate in ipairs(words) do
      local d = distance(word, candidate)
      if d < least and d <= #candidate / 2 then best, least = candidate, d end
    end
  end
  if best then return "; did you mean '" .. best .. "'?" end
  if #words == 0 then return "" end
  return "; it may be " .. concat(words, ", ")
end

local function keys(t)
  local list = {}
  for key in pairs(t) do list[#list + 1] = tostring(key) end
  return list
end

-- At most so many bytes of a text, not ending inside a character.
local function cut(text, most)
  if #text <= most then return text end
  local last = most
  while last > most - 4 and last > 0 do
    local next = byte(text, last + 1)
    if next < 0x80 or next > 0xBF then break end
    last = last - 1
  end
  return sub(text, 1, last)
end

-- What a wrong value is, in few words.
local function shown(value)
  if type(value) == "string" then return "'" .. cut(value, 40) .. "'" end
  if type(value) == "number" or type(value) == "boolean" or value == nil then return tostring(value) end
  return "a " .. type(value)
end

-- Durations ----------------------------------------------------------------------------------------

local UNITS = { d = 86400000000000, h = 3600000000000, m = 60000000000, s = 1000000000, ms = 1000000, us = 1000 }
local durations, durations_kept = {}, 0

-- Nanoseconds of "1m30s"; nil and what is wrong otherwise.
local function read_duration(text)
  if type(text) ~= "string" then
    return nil, "a duration is a string such as \"10s\", not " .. shown(text)
  end
  local known = durations[text]
  if known then return known end
  local wrong = "'" .. cut(text, 40) .. "' is not a duration such as \"250ms\", \"10s\" or \"1m30s\""
  if #text == 0 or #text > 32 then return nil, wrong end
  local total, place, last = 0, 1, maxinteger
  while place <= #text do
    local from, to, whole, fraction, unit = find(text, "^(%d+)%.?(%d*)(%l+)", place)
    local size = unit and UNITS[unit]
    if not from or not size or size >= last or #whole > 9 or #fraction > 9 then return nil, wrong end
    local dot = find(sub(text, from, to), ".", 1, true)
    if (dot ~= nil) ~= (#fraction > 0) then return nil, wrong end
    local value = tonumber(whole)
    if value > YEAR // size then return nil, wrong .. " of at most a year" end
    total = total + value * size
    local part = size
    for digit = 1, #fraction do
      part = part // 10
      total = total + (byte(fraction, digit) - 48) * part
    end
    last, place = size, to + 1
  end
  if total > YEAR then return nil, wrong .. " of at most a year" end
  -- What is shorter than a millisecond, but not nothing, is a millisecond.
  if total < 1000000 and find(text, "[1-9]") then total = 1000000 end
  if durations_kept >= DURATIONS_KEPT then durations, durations_kept = {}, 0 end
  durations[text], durations_kept = total, durations_kept + 1
  return total
end

-- Checks: each returns the value as it goes out, or nil and what is wrong ---------------------------

local function check_string(value, most, what)
  if type(value) ~= "string" then return nil, "expected " .. what .. ", not " .. shown(value) end
  if #value == 0 then return nil, what .. " must not be empty" end
  if #value > most then return nil, what .. " may have " .. most .. " bytes, not " .. #value end
  return value
end

local function check_word(value, words, what)
  for _, word in ipairs(words) do
    if value == word then return value end
  end
  return nil, shown(value) .. " is no " .. what .. hint(value, words)
end

local function check_list(value, item)
  if type(value) ~= "table" then value = { value } end
  local list = {}
  for key, entry in pairs(value) do
    if type(key) ~= "number" then return nil, "expected a list, found the key " .. shown(key) end
    local good, wrong = item(entry)
    if good == nil then return nil, wrong end
    list[#list + 1] = good
  end
  if #list > 64 then return nil, "at most 64 entries are allowed" end
  return list
end

-- What Netvane looks things up by. Other bytes would be repaired on their way, and not be found again.
local function check_key(value, what)
  local good, wrong = check_string(value, KEY_MAX, what)
  if good and not utf8_len(good) then return nil, what .. " must be UTF-8" end
  return good, wrong
end

local function check_name(value) return check_key(value, "a name") end

local check_table

local CHECKS = {
  ["interface type"] = function(value) return check_word(value, TYPES, "interface type") end,
  ["list of interface types"] = function(value)
    return check_list(value, function(v) return check_word(v, TYPES, "interface type") end)
  end,
  ["list of names"] = function(value) return check_list(value, check_name) end,
  name = check_name,
  key = function(value)
    if value == "policy-fault" then return nil, "the key 'policy-fault' is Netvane's own" end
    return check_key(value, "a key")
  end,
  -- Text for people may come from outside: it is cut, not refused.
  title = function(value)
    if type(value) == "number" then value = tostring(value) end
    return check_string(type(value) == "string" and cut(value, TITLE_MAX) or value, TITLE_MAX, "a text")
  end,
  text = function(value)
    if type(value) == "number" then value = tostring(value) end
    if type(value) ~= "string" then return nil, "expected a text, not " .. shown(value) end
    return cut(value, TEXT_MAX)
  end,
  severity = function(value) return check_word(value, SEVERITIES, "severity") end,
  duration = read_duration,
  delay = function(value)
    local time, wrong = read_duration(value)
    if time == 0 then return nil, "the duration must be longer than nothing" end
    return time, wrong
  end,
  settle = function(value)
    if type(value) == "function" then return value end
    local time, wrong = read_duration(value)
    if not time then return nil, wrong .. ", or a function(ctx, ev) that returns one" end
    if time > 86400000000000 then return nil, "a settle of more than a day is never useful" end
    return time
  end,
  version = function(value)
    local whole = type(value) == "number" and tointeger(value)
    if not whole or whole < 1 then return nil, "expected a whole number from 1 on, not " .. shown(value) end
    return whole
  end,
  monitor = function(value) return check_word(value, keys(monitors), "monitor of this policy") end,
  buttons = function(value)
    if type(value) ~= "table" then return nil, "expected a list of buttons, not " .. shown(value) end
    local list, seen = {}, {}
    for key, entry in pairs(value) do
      if type(key) ~= "number" then return nil, "expected a list of buttons, found the key " .. shown(key) end
      local button, wrong = check_table(entry, API.button, "a button")
      if not button then return nil, wrong end
      if seen[button.id] then return nil, "two buttons have the id '" .. button.id .. "'" end
      seen[button.id] = true
      list[#list + 1] = { button.id, button.label }
    end
    if #list > 8 then return nil, "at most 8 buttons are allowed" end
    return list
  end,
}

-- An entry as it goes out; nil and what is wrong otherwise.
local function check_entry(key, entry, spec, what)
  local rule = spec[key]
  if not rule then
    return nil, what .. " has no '" .. cut(tostring(key), 40) .. "'" .. hint(key, keys(spec))
  end
  local check = CHECKS[rule.type]
  if check then
    local result, wrong = check(entry)
    if result == nil then return nil, "'" .. key .. "': " .. wrong end
    return result
  end
  if type(entry) ~= rule.type then
    return nil, "'" .. key .. "': expected a " .. rule.type .. ", not " .. shown(entry)
  end
  return entry
end

-- A copy of `value` with each entry as its check returns it; nil, what is wrong and the key otherwise.
-- Entries are tried in no order first, since what is right needs none; what is wrong is then looked for
-- in order, so that the same mistake is named each time.
function check_table(value, spec, what)
  if type(value) ~= "table" then return nil, what .. " is a table { … }, not " .. shown(value) end
  local good, is_good = {}, getmetatable(value) == nil
  if is_good then
    local entries = 0
    for key, entry in next_entry, value do
      entries = entries + 1
      local result
      if spec[key] then result = check_entry(key, entry, spec, what) end
      if result == nil then is_good = false else good[key] = result end
      if entries > ENTRIES_TRIED then break end
    end
  end
  if not is_good then
    for key, entry in pairs(value) do
      local result, wrong = check_entry(key, entry, spec, what)
      if result == nil then return nil, wrong, key end
      good[key] = result
    end
  end
  for _, key in ipairs(REQUIRED[spec]) do
    if value[key] == nil then return nil, what .. " needs '" .. key .. "'", key end
  end
  return good
end

-- Loading: the table a policy file returns ------------------------------------------------------------

local function settle_of(value, own)
  if value == nil then value = own end
  if value == nil then return "standard", 250000000 end
  if type(value) == "function" then return "function", 0 end
  return value, value
end

local function describe_monitor(name, given)
  local named = type(name) == "string" and check_name(name)
  if not named then
    fail_at("each monitor has a name, as in monitors = { internet = {} }, not " .. shown(name), "monitors")
  end
  local good, wrong, key = check_table(given, API.monitor, "the monitor '" .. name .. "'")
  if not good then fail_at(wrong, key, name, "monitors") end
  local settle, least = settle_of(good.settle, policy.settle)
  local floor_max = least * 4 > 30000000000 and least * 4 or 30000000000
  if good.settle_max and good.settle_max < floor_max then
    fail_at("the monitor '" .. name .. "': settle_max must be at least 30s and four times settle", "settle_max")
  end
  monitors[name] = good
  return {
    name = name, required = good.required, prohibited = good.prohibited or {},
    interface = good.interface, ignore = good.ignore or {}, bound = good.bound or false,
    settle = settle, settle_max = good.settle_max,
  }
end

-- The policy's defaults with the operator's values over them; only what the policy names may be set.
local function merge_config(defaults, given, place)
  for key, value in pairs(given) do
    local default, name = defaults[key], place .. "." .. tostring(key)
    if default == nil then
      raise_error(name .. ": the policy has no such setting" .. hint(key, keys(defaults)), 0)
    end
    if type(value) ~= type(default) then
      raise_error(name .. ": expected a " .. type(default) .. ", not " .. shown(value), 0)
    end
    -- Where the policy has a duration, another word would only fail later, inside a handler.
    if type(default) == "string" and read_duration(default) then
      local time, wrong = read_duration(value)
      if not time then raise_error(name .. ": " .. wrong, 0) end
    end
    defaults[key] = value
  end
  return defaults
end

local function describe_monitors(given)
  local list = {}
  for name, entry in pairs(given) do
    if #list == 32 then fail_at("at most 32 monitors are allowed", "monitors") end
    list[#list + 1] = describe_monitor(name, entry)
  end
  if #list == 0 then fail_at("monitors is empty; leave it out for { internet = {} }", "monitors") end
  return list
end

local function describe_every(given)
  local list = {}
  for name, period in pairs(given) do
    local named = type(name) == "string" and check_name(name)
    if not named then fail_at("every: each timer has a name, not " .. shown(name), "every") end
    local time, wrong = read_duration(period)
    if not time then fail_at("every." .. name .. ": " .. wrong, name, "every") end
    if time < 1000000000 then fail_at("every." .. name .. ": at least 1s", name, "every") end
    if #list == 32 then fail_at("at most 32 recurring timers are allowed", "every") end
    list[#list + 1] = { name, time }
  end
  if #list > 0 and not policy.on_timer then fail_at("every needs a function on_timer(ctx, ev)", "every") end
  return list
end

-- A copy that nobody else holds, of plain data only.
local function plain(value, name)
  local ok, bytes = pcall(host.encode, value, name, AROUND_STATE)
  if not ok then fail_data(tostring(bytes)) end
  return host.decode(bytes), bytes
end

local function describe(given)
  local table = host.chunk
  if type(table) ~= "table" then
    if not find(host.source, "%S") then raise_error(host.file .. ":1: the file holds nothing", 0) end
    fail_at("a policy file returns its policy table, not " .. shown(table), "return")
  end
  local good, wrong, key = check_table(table, API.policy, "a policy")
  if not good then fail_at(wrong, key) end
  if good.api ~= 1 then fail_at("api = " .. tostring(good.api) .. " is not known; this is version 1", "api") end
  policy, monitors = good, {}
  local list, handlers = describe_monitors(good.monitors or { internet = {} }), {}
  for _, name in ipairs(HANDLERS) do
    if good[name] then handlers[#handlers + 1] = name end
  end
  local settings = merge_config(plain(good.config or {}, "config"), given.config or {}, given.place or "config")
  members.config = host.freeze(settings)
  members.state, state_bytes = plain(good.state or {}, "state")
  if #state_bytes > STATE_MAX then
    fail_at("state may have 64 KiB, not " .. #state_bytes .. " bytes", "state")
  end
  return {
    about = good.description and cut(good.description, TITLE_MAX) or "", enabled = good.enabled ~= false,
    monitors = list, every = describe_every(good.every or {}), handlers = handlers, state = members.state,
  }
end

-- The verbs of ctx ---------------------------------------------------------------------------------

local function inside(may_settle)
  if not ctx then fail("this works inside a handler only: there are no effects at load") end
  if not may_settle and request.handler == "settle" then
    fail("settle only says how long a change must hold; act in on_path")
  end
end

-- Takes a decision. A later one about the same alert, timer or value, named by `slot`, replaces it:
-- what counts is how things stand when the handler is done.
local function decide(slot, intent)
  local place = slots[slot] or #intents + 1
  if place > INTENTS_PER_HANDLER then
    fail("at most " .. INTENTS_PER_HANDLER .. " decisions in one handler are allowed")
  end
  intents[place] = intent
  if slot then slots[slot] = place end
end

-- A verb called with a colon gets its own table as the first argument.
local function no_colon(first, owner, verb)
  if first ~= nil and first == owner then fail("call it with a dot: " .. verb) end
end

local function good_or_fail(good, wrong)
  if good == nil then fail(wrong) end
  return good
end

local function read_only(name, members)
  return setmetatable({}, {
    __index = function(_, key)
      local member = members[key]
      if member == nil then fail(name .. " has no '" .. tostring(key) .. "'" .. hint(key, keys(members))) end
      return member
    end,
    __newindex = function() fail(name .. " is read-only") end,
    __metatable = false,
  })
end

local alert, timer

alert = read_only("ctx.alert", {
  raise = function(given)
    no_colon(given, alert, "ctx.alert.raise { … }")
    inside()
    local good = good_or_fail(check_table(given, API.alert, "ctx.alert.raise"))
    decide("alert " .. good.key, { "raise", good.key, good.severity or "info", good.title, good.body or "",
      good.channel or "", good.expires or false, good.buttons or {} })
    request.alerts[good.key] = true
  end,
  resolve = function(key)
    no_colon(key, alert, "ctx.alert.resolve(key)")
    inside()
    local good = good_or_fail(CHECKS.key(key))
    decide("alert " .. good, { "resolve", good })
    request.alerts[good] = nil
  end,
  active = function(key)
    no_colon(key, alert, "ctx.alert.active(key)")
    inside(true)
    return request.alerts[good_or_fail(CHECKS.key(key))] == true
  end,
})

local function start_timer(name, duration, opts, once)
  inside()
  local good = good_or_fail(check_name(name))
  local time = good_or_fail(CHECKS.delay(duration))
  local options = good_or_fail(check_table(opts or {}, API.timer, "the timer's options"))
  if once and request.timers[good] then return end
  decide("timer " .. good,
    { "timer", good, time, false, options.until_change or false, options.across_reboot or false })
  request.timers[good] = true
end

timer = read_only("ctx.timer", {
  start = function(name, duration, opts)
    no_colon(name, timer, "ctx.timer.start(name, duration)")
    start_timer(name, duration, opts, false)
  end,
  start_once = function(name, duration, opts)
    no_colon(name, timer, "ctx.timer.start_once(name, duration)")
    start_timer(name, duration, opts, true)
  end,
  cancel = function(name)
    no_colon(name, timer, "ctx.timer.cancel(name)")
    inside()
    local good = good_or_fail(check_name(name))
    decide("timer " .. good, { "cancel", good })
    request.timers[good] = nil
  end,
  active = function(name)
    no_colon(name, timer, "ctx.timer.active(name)")
    inside(true)
    return request.timers[good_or_fail(check_name(name))] == true
  end,
})

local function log(...)
  no_colon((...), ctx, "ctx.log(text)")
  inside()
  logs = logs + 1
  if logs > LOGS_PER_HANDLER then
    if not summary then
      summary = { "log", "" }
      decide(nil, summary)
    end
    return
  end
  local words = {}
  for place = 1, select("#", ...) do words[place] = cut(tostring((select(place, ...))), TEXT_MAX) end
  decide(nil, { "log", cut(concat(words, " "), TEXT_MAX) })
end

local function publish(name, value)
  no_colon(name, ctx, "ctx.publish(name, value)")
  inside()
  local good = good_or_fail(check_name(name))
  if value == nil then fail("ctx.publish('" .. good .. "', value) needs a value") end
  if type(value) == "boolean" or type(value) == "string" and #value < TEXT_MAX then
    return decide("value " .. good, { "publish", good, value })
  end
  local ok, encoded = pcall(host.encode, value, "the value", AROUND_VALUE)
  if not ok then fail("ctx.publish('" .. good .. "'): " .. tostring(encoded)) end
  if #encoded > TEXT_MAX then fail("ctx.publish('" .. good .. "'): at most 4 KiB") end
  -- Written out now: what the policy does to the table later is another value.
  decide("value " .. good, { "publish", good, host.decode(encoded) })
end

-- A read-only view of an event that knows its fields: a misspelt one would be nil for ever. Scripts see
-- what is behind a frozen table and never the key EVENT, under which the view finds it again.
local EVENT, VIEWS = {}, {}

local function view(raw, fields)
  local it = host.freeze(raw)
  rawset(it, EVENT, raw)
  return setmetatable(it, VIEWS[fields])
end

local function view_of(fields)
  return {
    __index = function(it, key)
      local raw = it[EVENT]
      local value = raw[key]
      if value == nil then
        if fields[key] then return nil end
        fail("ev has no '" .. cut(tostring(key), 40) .. "'" .. hint(key, keys(fields)))
      end
      if type(value) == "table" and not host.frozen(value) then
        value = key == "previous" and view(value, fields) or host.freeze(value)
        raw[key] = value
      end
      return value
    end,
    __newindex = function() fail("ev is read-only; keep values in ctx.state") end,
    __metatable = false,
  }
end

for _, fields in pairs(FIELDS) do VIEWS[fields] = VIEWS[fields] or view_of(fields) end

local function path(name)
  no_colon(name, ctx, "ctx.path(monitor)")
  inside(true)
  local good = good_or_fail(CHECKS.monitor(name))
  local raw = known[good]
  if request.handler == "on_path" and request.ev.monitor == good then raw = request.ev end
  return raw and view(raw, PATH_FIELDS)
end

env.print = function(...) log(...) end

local LATER = { exec = true, open_url = true, http = true, retry = true, cancel = true }
local VERBS = { "alert", "config", "log", "path", "publish", "state", "time", "timer" }

local function two(number) return number < 10 and "0" .. number or "" .. number end

-- The clock on the wall when this call began; made of numbers when it is first asked for.
local function wall_time(given)
  local time = given.made_time
  if not time then
    local year, month, day, hour, minute, weekday, zone = unpack(given.time)
    time = { hour = hour, minute = minute, weekday = weekday, zone = zone,
      date = sub("000" .. year, -4) .. "-" .. two(month) .. "-" .. two(day) }
    given.made_time = time
  end
  return time
end

members.alert, members.timer, members.log, members.publish, members.path = alert, timer, log, publish, path
setmetatable(members, {
  __index = function(_, key)
    if key == "time" then return wall_time(request) end
    if LATER[key] then fail("ctx." .. key .. " is not in this version of Netvane") end
    fail("ctx has no '" .. cut(tostring(key), 40) .. "'" .. hint(key, VERBS))
  end,
})

local LIVE = {
  __index = members,
  __newindex = function(_, key, value)
    if key ~= "state" then
      fail("ctx." .. cut(tostring(key), 40) .. " cannot be set; keep values in ctx.state")
    end
    if type(value) ~= "table" then fail("ctx.state is a table; set it to {} to empty it") end
    members.state = value
  end,
  __metatable = false,
}
local EXPIRED = {
  __index = function() fail("expired context: a ctx serves the call it was given to") end,
  __newindex = function() fail("expired context: a ctx serves the call it was given to") end,
  __metatable = false,
}

-- Calling ------------------------------------------------------------------------------------------

local function function_for(name, ev)
  if name ~= "settle" then return policy[name] end
  local own = monitors[ev.monitor] and monitors[ev.monitor].settle
  return own or policy.settle
end

local EMPTY = host.encode({})

local function encoded_state()
  if getmetatable(members.state) == nil and next_entry(members.state) == nil then return EMPTY end
  local ok, encoded = pcall(host.encode, members.state, "ctx.state", AROUND_STATE)
  if not ok then fail_in(handler, tostring(encoded)) end
  if #encoded > STATE_MAX then
    fail_in(handler, "ctx.state may have 64 KiB, not " .. #encoded .. " bytes")
  end
  return encoded
end

local function settle_answer(result)
  if encoded_state() ~= state_bytes then
    fail_in(handler, "settle only says how long a change must hold; ctx.state cannot change in it")
  end
  local time, wrong = read_duration(result)
  if not time then fail_in(handler, "settle must return a duration: " .. wrong) end
  return { settle = time }
end

-- Gives a path event its predecessor, which has none itself.
local function with_previous(raw, before)
  before = before or known[raw.monitor]
  if before then
    rawset(before, "previous", nil)
    rawset(raw, "previous", before)
  end
end

local function call(given)
  request = given
  if given.paths then
    for name, raw in pairs(given.paths) do known[name] = raw end
  end
  local is_path = FIELDS[given.handler] == PATH_FIELDS
  if is_path and not given.ev.initial then with_previous(given.ev, given.before) end
  if given.state then members.state, state_bytes = given.state, host.encode(given.state) end
  host.seed(given.seed)
  given.alerts, given.timers = given.alerts or {}, given.timers or {}
  handler = function_for(given.handler, given.ev)
  intents, slots, logs, summary = {}, {}, 0, nil
  ctx = setmetatable({}, LIVE)
  local mine, held = ctx, members.state
  local result = handler(mine, view(given.ev, FIELDS[given.handler]))
  ctx = nil
  setmetatable(mine, EXPIRED)
  if given.handler == "on_path" then known[given.ev.monitor] = given.ev end

  if given.handler == "settle" then return settle_answer(result) end
  if summary then summary[2] = (logs - LOGS_PER_HANDLER) .. " more lines of this call are left out" end
  local encoded = encoded_state()
  local changed = encoded ~= state_bytes
  if changed or members.state ~= held then
    -- Read back, so that what the policy still holds of it is not the state any more.
    members.state, state_bytes = host.decode(encoded), encoded
  end
  if #intents == 0 and not changed then return nil end
  return { intents = intents, state = changed and members.state or nil }
end

return function(given)
  if given.op == "call" then return call(given) end
  if given.op == "describe" then return describe(given) end
  return host.chunk
end
