-- What a handler finds in ctx and ev. Each verb first tries what most calls are – in a handler that may
-- act, with words that were good before – and looks closely at whatever is not that.

local function inside(may_settle)
  if not ctx then fail("this works inside a handler only: there are no effects at load") end
  if not may_settle and handler_name == "settle" then
    fail("settle only says how long a change must hold; act in on_path")
  end
end

-- Takes a decision. A later one of the same group – alerts, timers, values – and name replaces it:
-- what counts is how things stand when the handler is done.
local function too_many() fail("at most 64 decisions in one handler are allowed") end

local function decide(group, name, ...)
  if not decide_now(group, name, ...) then too_many() end
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

local function checked_alert(given)
  no_colon(given, alert, "ctx.alert.raise { … }")
  inside()
  local good = good_or_fail(check_table(given, API.alert, "ctx.alert.raise"))
  return good.key, good.severity, good.title, good.body, good.channel, good.expires, good.buttons
end

-- Buttons as they go out; nothing when they need a closer look.
local function plain_buttons(given)
  if type(given) ~= "table" or getmetatable(given) ~= nil then return nil end
  local list, seen, entries = {}, {}, 0
  for place, button in next_entry, given do
    entries = entries + 1
    if entries > MOST.buttons or not fits(button, button_rules) then return nil end
    local id = button.id
    if not id or not button.label or seen[id] then return nil end
    list[place], seen[id] = { id, button.label }, true
  end
  for place = 1, entries do
    if not list[place] then return nil end
  end
  return list
end

-- The entries of an alert; nothing when they need a closer look.
local function plain_alert(given)
  local key, title, expires, buttons = given.key, given.title, given.expires, given.buttons
  if buttons then
    buttons = plain_buttons(buttons)
    if not buttons then return nil end
  end
  if key and title and expires then
    expires = durations[expires]
    if expires == 0 then return nil end
  end
  return title and key, given.severity, title, given.body, given.channel, expires, buttons
end

alert = read_only("ctx.alert", {
  raise = function(given)
    local key, severity, title, body, channel, expires, buttons
    if acting and fits(given, alert_rules) then
      key, severity, title, body, channel, expires, buttons = plain_alert(given)
    end
    if not key then
      key, severity, title, body, channel, expires, buttons = checked_alert(given)
    end
    if not decide_now("a", key, "raise", key, severity or "info", title, body or "", channel or "",
      expires or false, buttons or false) then too_many() end
    alerts[key] = true
  end,
  resolve = function(key)
    if acting and good_keys[key] and decide_now("a", key, "resolve", key) then
      alerts[key] = nil
      return
    end
    no_colon(key, alert, "ctx.alert.resolve(key)")
    inside()
    local good = good_or_fail(CHECKS.key(key))
    decide("a", good, "resolve", good)
    alerts[good] = nil
  end,
  active = function(key)
    if ctx and good_keys[key] then return alerts[key] == true end
    no_colon(key, alert, "ctx.alert.active(key)")
    inside(true)
    return alerts[good_or_fail(CHECKS.key(key))] == true
  end,
})

-- Starts a timer with no options; whether that could be done here.
local function start_plain(name, duration)
  local time = acting and good_keys[name] and durations[duration]
  if not time or time == 0 then return false end
  if not decide_now("t", name, "timer", name, time, false, false, false) then too_many() end
  timers[name] = true
  return true
end

local function start_timer(name, duration, opts, once)
  inside()
  local good = good_or_fail(check_name(name))
  local time = good_or_fail(CHECKS.delay(duration))
  local options = good_or_fail(check_table(opts or {}, API.timer, "the timer's options"))
  if once and timers[good] then return end
  decide("t", good, "timer", good, time, false, options.until_change or false,
    options.across_reboot or false)
  timers[good] = true
end

timer = read_only("ctx.timer", {
  start = function(name, duration, opts)
    if opts == nil and start_plain(name, duration) then return end
    no_colon(name, timer, "ctx.timer.start(name, duration)")
    start_timer(name, duration, opts, false)
  end,
  start_once = function(name, duration, opts)
    no_colon(name, timer, "ctx.timer.start_once(name, duration)")
    start_timer(name, duration, opts, true)
  end,
  cancel = function(name)
    if acting and good_keys[name] and decide_now("t", name, "cancel", name) then
      timers[name] = nil
      return
    end
    no_colon(name, timer, "ctx.timer.cancel(name)")
    inside()
    local good = good_or_fail(check_name(name))
    decide("t", good, "cancel", good)
    timers[good] = nil
  end,
  active = function(name)
    if ctx and good_keys[name] then return timers[name] == true end
    no_colon(name, timer, "ctx.timer.active(name)")
    inside(true)
    return timers[good_or_fail(check_name(name))] == true
  end,
})

local function log(...)
  no_colon((...), ctx, "ctx.log(text)")
  inside()
  logs = logs + 1
  if logs > LOGS_PER_HANDLER then return end
  local words = {}
  for place = 1, select("#", ...) do words[place] = cut(tostring((select(place, ...))), TEXT_MAX) end
  decide(nil, nil, "log", cut(concat(words, " "), TEXT_MAX))
end

-- What is wrong with the keys of a value, if something is. In what others read they are texts: two that
-- are not the same here must not become one there.
local function wrong_keys(value)
  if type(value) ~= "table" then return nil end
  local texts = {}
  for key, entry in next_entry, value do
    local text = tostring(key)
    if not utf8_len(text) then return "a key in the value is not UTF-8" end
    if texts[text] then return "the value has both a number and a text as the key " .. shown(text) end
    texts[text] = true
    local wrong = wrong_keys(entry)
    if wrong then return wrong end
  end
end

local function checked_publish(name, value)
  no_colon(name, ctx, "ctx.publish(name, value)")
  inside()
  local good = good_or_fail(check_name(name))
  if value == nil then fail("ctx.publish('" .. good .. "', value) needs a value") end
  if value ~= true and value ~= false and (type(value) ~= "string" or #value > TEXT_MAX - 64) then
    local ok, encoded = pcall(host.encode, value, "the value", AROUND_VALUE)
    if not ok then fail("ctx.publish('" .. good .. "'): " .. tostring(encoded)) end
    if #encoded > TEXT_MAX then fail("ctx.publish('" .. good .. "'): at most 4 KiB") end
    local wrong = wrong_keys(host.decode(encoded))
    if wrong then fail("ctx.publish('" .. good .. "'): " .. wrong) end
  end
  decide("v", good, "publish", good, value)
end

local function publish(name, value)
  local is_plain = acting and good_keys[name]
    and (value == true or value == false or type(value) == "string" and #value <= TEXT_MAX - 64)
  if not is_plain or not decide_now("v", name, "publish", name, value) then
    checked_publish(name, value)
  end
end

-- What is read or written in an event has a name that exists: a misspelt field would be nil for ever.
host.missing(function(kind, key, writes, record)
  local what = kind == "time" and "ctx.time" or "ev"
  if writes then fail(what .. " is read-only; keep values in ctx.state") end
  local fields = FIELDS[kind]
  -- No fact of the event: it is as things are now, and only of the last one of its monitor.
  if key == "pending" and kind == "path" and handler_name ~= "settle" then
    local monitor = record.monitor
    return (record == event or record == known[monitor]) and pending[monitor] or nil
  end
  if fields[key] then return nil end
  fail(what .. " has no '" .. cut(tostring(key), 40) .. "'" .. hint(key, keys(fields)))
end)

local function path(name)
  no_colon(name, ctx, "ctx.path(monitor)")
  inside(true)
  local good = good_or_fail(CHECKS.monitor(name))
  if handler_name == "on_path" and event_monitor == good then return event end
  return known[good]
end

env.print = function(...) log(...) end

-- Actions ------------------------------------------------------------------------------------------

local KINDS = { "exec", "http", "open_url" }

-- An action as it goes out; `outer` is the retry around it, which has its key.
local function checked_action(kind, given, outer)
  local verb = "ctx." .. kind
  if outer and type(given) == "table" and given.key == nil then
    local copy = { key = outer.key }
    for key, value in pairs(given) do copy[key] = value end
    given = copy
  end
  local good = good_or_fail(check_table(given, API[kind], verb))
  if outer and good.key ~= outer.key then
    fail("the " .. kind .. " in ctx.retry has the key of the retry; leave its own out")
  end
  good.kind = kind
  return good
end

for _, kind in ipairs(KINDS) do
  members[kind] = function(given)
    no_colon(given, ctx, "ctx." .. kind .. " { … }")
    inside()
    decide(nil, nil, "act", checked_action(kind, given))
  end
end

function members.retry(given)
  no_colon(given, ctx, "ctx.retry { … }")
  inside()
  local good = good_or_fail(check_table(given, API.retry, "ctx.retry"))
  local action
  for _, kind in ipairs(KINDS) do
    if good[kind] then
      if action then fail("ctx.retry takes one of exec, http and open_url, not two") end
      action = checked_action(kind, good[kind], good)
    end
  end
  if not action then fail("ctx.retry needs one of exec, http and open_url") end
  if good.cap and good.cap < (good.base or RETRY_BASE) then
    fail("'cap' must not be less than 'base'" .. (good.base and "" or ", which is 1s where it is left out"))
  end
  action.only_while, action.limit = good.only_while or action.only_while, good.limit or action.limit
  action.retry = {
    base = good.base, cap = good.cap, attempts = good.attempts, within = good.within,
    during = good.during, now = good.now,
  }
  decide(nil, nil, "act", action)
end

function members.cancel(key)
  no_colon(key, ctx, "ctx.cancel(key)")
  inside()
  decide(nil, nil, "end", good_or_fail(CHECKS.key(key)))
end

members.alert, members.timer, members.log, members.publish, members.path = alert, timer, log, publish, path
setmetatable(members, {
  __index = function(_, key)
    if key == "time" then return wall_time end
    local all = { time = true }
    for name in pairs(members) do all[name] = true end
    fail("ctx has no '" .. cut(tostring(key), 40) .. "'" .. hint(key, keys(all)))
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
