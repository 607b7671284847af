-- Calling a handler, and handing its decisions over.

local function function_for(name, ev)
  if name ~= "settle" then return policy[name] end
  local own = monitors[ev.monitor]
  return own and own.settle or policy.settle
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
  return time
end

-- The state after the handler, if that is another.
local function changed_state(held)
  local encoded = encoded_state()
  local changed = encoded ~= state_bytes
  if changed or members.state ~= held then
    -- Read back, so that what the policy still holds of it is not the state any more.
    members.state, state_bytes = host.decode(encoded), encoded
  end
  return changed and members.state or nil
end

-- What changed outside since the last call; nil for what did not.
local function take(up, running, state, paths)
  if up then alerts = set_of(up) end
  if running then timers = set_of(running) end
  if state then members.state, state_bytes = state, host.encode(state) end
  if paths then
    for place = 1, #paths do known[paths[place].monitor] = paths[place] end
  end
end

-- Runs a handler: how long a change must hold, or nil; the state, if it changed.
local function call(name, seed, ev, time, up, running, state, paths)
  if up or running or state or paths then take(up, running, state, paths) end
  host.seed(seed)
  if time then wall_time = time end
  handler_name, handler, event, logs = name, function_for(name, ev), ev, 0
  local mine, held = setmetatable({}, LIVE), members.state
  ctx = mine
  local result = handler(mine, ev)
  ctx = nil
  setmetatable(mine, EXPIRED)
  if name == "settle" then return settle_answer(result) end
  if name == "on_path" then known[ev.monitor] = ev end
  if logs > LOGS_PER_HANDLER then
    decide_now(nil, nil, "log", (logs - LOGS_PER_HANDLER) .. " more lines of this call are left out")
  end
  return nil, changed_state(held)
end

return function(op, ...)
  if op == "call" then return call(...) end
  if op == "describe" then return describe(...) end
  if op == "migrate" then return migrate(...) end
  return host.chunk
end
