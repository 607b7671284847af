-- Calling a handler, and handing its decisions over.

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
