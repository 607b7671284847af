-- Loading: the table that a policy file returns.

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
      fail_at(name .. ": the policy has no such setting" .. hint(key, keys(defaults)), "config")
    end
    if type(value) ~= type(default) then
      fail_at(name .. ": expected a " .. type(default) .. ", not " .. shown(value), key, "config")
    end
    -- Where the policy has a duration, another word would only fail later, inside a handler.
    if type(default) == "string" and read_duration(default) then
      local time, wrong = read_duration(value)
      if not time then fail_at(name .. ": " .. wrong, key, "config") end
    end
    defaults[key] = value
  end
  return defaults
end

local function describe_monitors(given)
  local list = {}
  for name, entry in pairs(given) do
    if #list == MOST.monitors then fail_at("at most " .. MOST.monitors .. " monitors are allowed", "monitors") end
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
    if #list == MOST.every then fail_at("at most " .. MOST.every .. " recurring timers are allowed", "every") end
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

local function describe(config, place)
  local table = host.chunk
  if type(table) ~= "table" then
    if not find(host.source, "%S") then raise_error(host.file .. ":1: the file holds nothing", 0) end
    fail_at("a policy file returns its policy table, not " .. shown(table), "return")
  end
  local good, wrong, key = check_table(table, API.policy, "a policy")
  if not good then fail_at(wrong, key) end
  if good.api ~= 1 then fail_at("api = " .. tostring(good.api) .. " is not known; this is version 1", "api") end
  policy, monitors = good, {}
  local list, handlers, lines = describe_monitors(good.monitors or { internet = {} }), {}, {}
  for _, name in ipairs(HANDLERS) do
    if good[name] then
      local line, file = nil, nil
      if type(good[name]) == "function" then line, file = host.line_of(good[name]) end
      handlers[#handlers + 1], lines[#handlers + 1] = name, file == host.file and line or 1
    end
  end
  local settings = merge_config(plain(good.config or {}, "config"), config or {}, place or "config")
  members.config = host.freeze(settings)
  members.state, state_bytes = plain(good.state or {}, "state")
  if #state_bytes > STATE_MAX then
    fail_at("state may have 64 KiB, not " .. #state_bytes .. " bytes", "state")
  end
  return {
    about = good.description and cut(good.description, TITLE_MAX) or "", enabled = good.enabled ~= false,
    monitors = list, every = describe_every(good.every or {}), handlers = handlers, lines = lines,
    state = members.state, version = good.version, migrates = good.migrate ~= nil,
  }
end

-- Hands the state over that the text of an older version left; the state that this one makes of it.
local function migrate(old, from)
  handler_name, handler = "migrate", policy.migrate
  local state = handler(old, from)
  if type(state) ~= "table" then
    fail_in(handler, "migrate must return the new state, a table of plain data, not " .. shown(state))
  end
  local ok, bytes = pcall(host.encode, state, "the state that migrate returns", AROUND_STATE)
  if not ok then fail_in(handler, tostring(bytes)) end
  if #bytes > STATE_MAX then
    fail_in(handler, "the state that migrate returns may have 64 KiB, not " .. #bytes .. " bytes")
  end
  return host.decode(bytes)
end
