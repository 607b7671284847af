-- What a test of a policy finds: `t`, which `require "policy.test"` gives, and `sim`. Runs inside the
-- test's own state before the test does. The simulation itself is Netvane's: each verb asks for it.
--
-- One chunk in two files, in this order: testing, generating.
local host = ...
local env = host.env
local type, pairs, ipairs, tostring, select = env.type, env.pairs, env.ipairs, env.tostring, env.select
local raise_error, tointeger, random = env.error, env.math.tointeger, env.math.random
local format, setmetatable, ask = env.string.format, host.setmetatable, host.ask
local unpack, next_entry = env.table.unpack, host.next

local NAME_MAX, RUNS_MAX = 200, 10000

local cases, lines = {}, {}    -- cases in order; the line of each name
local running = false          -- whether a case runs
local only                     -- the place of the case that this state is for; nil: all may run
local members, net_members = {}, {}
local sim, net                 -- of the run
local draw                     -- what a property's run has drawn so far

-- Raises at the line of the test that is running.
local function fail(message)
  local file, line = host.where()
  raise_error((file or host.file) .. ":" .. (line or 1) .. ": " .. message, 0)
end

local function keys(t)
  local list = {}
  for key in pairs(t) do list[#list + 1] = tostring(key) end
  return list
end

-- "; did you mean 'x'?", or what there is.
local function hint(word, words)
  return ask("hint", 0, tostring(word), words)
end

local function shown(value)
  if type(value) == "string" then return "'" .. value .. "'" end
  if type(value) == "number" or type(value) == "boolean" or value == nil then return tostring(value) end
  return "a " .. type(value)
end

-- Hands a verb to the simulation.
local function tell(verb, ...)
  if not running then fail("this works inside a case only") end
  local _, line = host.where()
  return ask(verb, line or 0, ...)
end

local function check_options(what, given, known)
  if type(given) ~= "table" then fail(what .. " takes a table { … }, not " .. shown(given)) end
  for key in pairs(given) do
    if known[key] == nil then fail(what .. " has no '" .. tostring(key) .. "'" .. hint(key, keys(known))) end
  end
end

-- A table of verbs that says what it has not.
local function verbs(name, list)
  return setmetatable({}, {
    __index = function(_, key)
      local member = list[key]
      if member == nil then fail(name .. " has no '" .. tostring(key) .. "'" .. hint(key, keys(list))) end
      return member
    end,
    __newindex = function() fail(name .. " is read-only") end,
    __metatable = false,
  })
end

local EXPIRED = {
  __index = function() fail("this sim is over: each case has its own") end,
  __newindex = function() fail("this sim is over: each case has its own") end,
  __metatable = false,
}

-- `most` is how many arguments the verb takes.
local function verb(list, owner, name, most, asked)
  list[name] = function(...)
    local first = ...
    if first ~= nil and (first == sim or first == net) then
      fail("call it with a dot: " .. owner .. "." .. name)
    end
    if select("#", ...) > most then
      fail(owner .. "." .. name .. " takes " .. (most == 0 and "nothing" or most == 1 and "one argument"
        or "at most " .. most .. " arguments"))
    end
    return tell(asked or name, ...)
  end
end

for name, most in next_entry, {
  config = 1, advance = 1, sleep = 1, overrun = 0, path = 1, press = 2, dismiss = 1, finish_action = 2,
  reload = 1, restart = 1, expect = 1, expect_soft = 1, expect_count = 2, count = 1,
  expect_nothing = 0, mark = 0, expect_order = 1, expect_fuel = 2, expect_fault = 1,
} do
  verb(members, "sim", name, most)
end

for name, most in next_entry, {
  drop = 1, restore = 1, down = 1, up = 1, join = 2, roam = 2, add = 2, remove = 1, metered = 2,
  constrained = 2, captive = 2, vpn = 1, dns = 1, block = 2,
} do
  verb(net_members, "net", name, most, "net." .. name)
end

function members.network(given)
  if given == sim and given ~= nil then fail("call it with a dot: sim.network { … }") end
  tell("network", given)
  return net
end

-- Does the steps of a run, one after the other: { "drop", "wlan0" }, { "advance", "2s" }.
function members.play(run)
  if type(run) ~= "table" then fail("sim.play takes a list of steps, not " .. shown(run)) end
  tell "play"
  for place, step in ipairs(run) do
    local name = type(step) == "table" and step[1]
    local member = name and (net_members[name] or name ~= "play" and members[name])
    if not member then
      fail("step " .. place .. " of the run is " .. shown(name or step) .. ", which is no verb"
        .. (type(name) == "string" and hint(name, keys(net_members)) or ""))
    end
    member(unpack(step, 2))
  end
end

-- ---- t ----

local t, t_members = nil, {}

local function add(kind, name, body, fields)
  if running then fail("t." .. kind .. " stands outside of cases") end
  -- Another state looked at all of them; properties stay, for t.example.
  if only and kind ~= "property" and #cases + 1 ~= only then
    cases[#cases + 1] = false
    return
  end
  if type(name) ~= "string" or #name == 0 or #name > NAME_MAX then
    fail("a case's name is a text of 1 to " .. NAME_MAX .. " bytes, not " .. shown(name))
  end
  if type(body) ~= "function" then fail("'" .. name .. "' needs a function, not " .. shown(body)) end
  if lines[name] then fail("'" .. name .. "' is the name of the case in line " .. lines[name] .. " already") end
  local _, line = host.where()
  lines[name] = line or 1
  fields.kind, fields.name, fields.body, fields.line = kind, name, body, line or 1
  cases[#cases + 1] = fields
end

function t_members.case(name, body) add("case", name, body, {}) end

function t_members.table(name, rows, body)
  if type(rows) ~= "table" or #rows == 0 then fail("t.table needs a list of rows, each a table") end
  for place, row in ipairs(rows) do
    if type(row) ~= "table" then fail("row " .. place .. " is " .. shown(row) .. ", not a table") end
    local label = row.name == nil and " #" .. place or ": " .. tostring(row.name)
    add("table", tostring(name) .. label, body, { row = row })
  end
end

local PROPERTY = { runs = true, seed = true }

function t_members.property(name, options, body)
  if body == nil then options, body = {}, options end
  check_options("t.property", options, PROPERTY)
  local runs, seed = options.runs or 100, options.seed
  if not tointeger(runs) or runs < 1 or runs > RUNS_MAX then
    fail("runs is a whole number from 1 to " .. RUNS_MAX .. ", not " .. shown(runs))
  end
  if seed ~= nil and not tointeger(seed) then fail("seed is a whole number, not " .. shown(seed)) end
  add("property", name, body, { runs = tointeger(runs), seed = seed and tointeger(seed) })
end

local function check_message(message)
  if message ~= nil and type(message) ~= "string" then fail("a message is a text, not " .. shown(message)) end
end

function t_members.check(good, message)
  check_message(message)
  tell("t.check", good and true or false, message)
end

function t_members.equal(got, wanted, message)
  check_message(message)
  tell("t.equal", got, wanted, message)
end
