-- What a property draws: values and runs, plain data all of it, so that a failing one can be shown,
-- shortened and pasted.

local gen_members, gen = {}, nil

-- Hands a drawn value out: one that was given, else a fresh one. `low` is its simplest form.
local function drawn(make, low)
  if not running or not draw then fail("gen works inside the run of a property only") end
  draw.place = draw.place + 1
  local value = draw.given and draw.given[draw.place]
  if value == nil then value = make() end
  tell("drawn", value, low)
  return value
end

local function whole(value, what, low, high)
  local number = tointeger(value)
  if not number or number < low or number > high then
    fail(what .. " is a whole number from " .. low .. " to " .. high .. ", not " .. shown(value))
  end
  return number
end

-- A duration that was read, as milliseconds.
local function milliseconds(text) return tell("milliseconds", text) end

local function duration_text(ms)
  if ms % 60000 == 0 and ms > 0 then return format("%dm", ms // 60000) end
  if ms % 1000 == 0 then return format("%ds", ms // 1000) end
  if ms < 1000 then return format("%dms", ms) end
  return format("%ds%dms", ms // 1000, ms % 1000)
end

-- Short ones as often as long ones: what is wrong with a policy shows at both.
local function some_gap(most)
  local bound = random(2) == 1 and most > 1000 and 1000 or most
  return duration_text(random(1, bound))
end

function gen_members.integer(low, high)
  whole(low, "the low end", env.math.mininteger, env.math.maxinteger)
  whole(high, "the high end", low, env.math.maxinteger)
  return drawn(function() return random(low, high) end, low)
end

function gen_members.pick(list)
  if type(list) ~= "table" or #list == 0 then fail("gen.pick needs a list with something in it") end
  return drawn(function() return list[random(#list)] end, list[1])
end

function gen_members.duration(low, high)
  local from, to = milliseconds(low), milliseconds(high)
  if from > to then fail("gen.duration goes from the shorter to the longer") end
  return drawn(function() return duration_text(random(from, to)) end, duration_text(from))
end

local function options_of(name, given, known)
  given = given == nil and {} or given
  check_options("gen." .. name, given, known)
  return given
end

local FLAPS = { events = true, max_gap = true, interface = true }

function gen_members.flaps(given)
  local options = options_of("flaps", given, FLAPS)
  local count = whole(options.events or 20, "events", 1, 10000)
  local most = milliseconds(options.max_gap or "30s")
  local name = options.interface or tell "primary"
  return drawn(function()
    local steps = {}
    for place = 1, count do
      steps[#steps + 1] = { place % 2 == 1 and "drop" or "restore", name }
      steps[#steps + 1] = { "advance", some_gap(most) }
    end
    return steps
  end, {})
end

local ROAMING = { moves = true, max_gap = true, interface = true, networks = true }

function gen_members.roaming(given)
  local options = options_of("roaming", given, ROAMING)
  local count = whole(options.moves or 10, "moves", 1, 10000)
  local places = whole(options.networks or 3, "networks", 2, 100)
  local most = milliseconds(options.max_gap or "5m")
  local name = options.interface or tell "primary"
  return drawn(function()
    local steps = {}
    for _ = 1, count do
      local place = random(places)
      steps[#steps + 1] = { "roam", name, {
        ssid = format("net-%d", place), address = format("198.51.100.%d/24", 9 + place),
        gateway = "198.51.100.1",
      } }
      steps[#steps + 1] = { "advance", some_gap(most) }
    end
    return steps
  end, {})
end

local SLEEP = { times = true, max_sleep = true, max_gap = true }

function gen_members.sleep(given)
  local options = options_of("sleep", given, SLEEP)
  local count = whole(options.times or 5, "times", 1, 10000)
  local longest = milliseconds(options.max_sleep or "12h")
  local most = milliseconds(options.max_gap or "1h")
  return drawn(function()
    local steps = {}
    for _ = 1, count do
      steps[#steps + 1] = { "sleep", some_gap(longest) }
      steps[#steps + 1] = { "advance", some_gap(most) }
    end
    return steps
  end, {})
end

gen = verbs("gen", gen_members)

-- ---- running ----

local function find_property(name)
  local names = {}
  for _, case in ipairs(cases) do
    if case and case.kind == "property" then
      if case.name == name then return case end
      names[#names + 1] = case.name
    end
  end
  fail("there is no property '" .. tostring(name) .. "'" .. hint(name, names))
end

-- A case that runs the body of a property with runs that were drawn before.
function t_members.example(name, runs)
  if type(runs) ~= "table" then fail("t.example takes a property's name and a list of what it draws") end
  return function(own)
    local property = find_property(name)
    draw = { place = 0, given = runs }
    property.body(own, gen)
  end
end

t = verbs("t", t_members)
host.provide("policy.test", t)

local function list()
  local names = {}
  for place, case in ipairs(cases) do
    names[place] = { kind = case.kind, name = case.name, line = case.line, runs = case.runs, seed = case.seed }
  end
  return names
end

local function run(place, seed, given)
  local case = cases[place]
  host.seed(seed)
  sim, net = verbs("sim", members), verbs("net", net_members)
  local mine, its = sim, net
  draw = case.kind == "property" and { place = 0, given = given } or nil
  running = true
  case.body(mine, case.kind == "property" and gen or case.row)
  running = false
  setmetatable(mine, EXPIRED)
  setmetatable(its, EXPIRED)
  return true
end

return function(op, ...)
  if op == "list" then return list() end
  if op == "only" then only = ... return true end
  return run(...)
end
