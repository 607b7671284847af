-- What a handler finds in ctx and ev.

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
