-- Calling a handler, and handing its decisions over. In a call the prelude's own code is not ticked, so
-- whatever a policy made runs, or is read, by `run`.
local run, same, link = host.run, host.same, host.link

local function function_for(name, monitor)
  if name ~= "settle" then return policy[name] end
  local own = monitors[monitor]
  return own and own.settle or policy.settle
end

-- Nil when the state is as it was; else its bytes. Reads it back, so that what the policy still holds of
-- it is not the state any more.
local function new_state_bytes(held)
  local is_same, encoded = same(members.state, state_bytes, AROUND_STATE)
  if is_same then
    if members.state ~= held then members.state = host.decode(state_bytes) end
    return nil
  end
  if not encoded then
    local _, wrong = pcall(host.encode, members.state, "ctx.state", AROUND_STATE)
    fail_in(handler, tostring(wrong))
  end
  if #encoded > STATE_MAX then
    fail_in(handler, "ctx.state may have 64 KiB, not " .. #encoded .. " bytes")
  end
  return encoded
end

local function settle_answer(result, held)
  if new_state_bytes(held) then
    fail_in(handler, "settle only says how long a change must hold; ctx.state cannot change in it")
  end
  local time, wrong = durations[result], nil
  if not time then time, wrong = run(read_duration, result) end
  if not time then fail_in(handler, "settle must return a duration: " .. wrong) end
  if time > MOST.settle then
    fail_in(handler, "settle must return a duration of at most a day, not '" .. result .. "'")
  end
  return time
end

-- The state after the handler, if that is another.
local function changed_state(held)
  local encoded = new_state_bytes(held)
  if not encoded then return nil end
  members.state, state_bytes = host.decode(encoded), encoded
  return members.state
end

-- What changed outside since the last call; nil for what did not.
local function take(up, running, state, paths, waiting)
  if up then alerts = set_of(up) end
  if running then timers = set_of(running) end
  if state then members.state, state_bytes = state, host.encode(state) end
  if waiting then
    pending = {}
    for place = 1, #waiting, 2 do pending[waiting[place]] = waiting[place + 1] end
  end
  if paths then
    for place = 1, #paths do known[paths[place].monitor] = paths[place] end
  end
end

-- Runs a handler: how long a change must hold, or nil; the state, if it changed. `monitor` is whose
-- path the event tells of, if it does. The seed, which comes first, is the sandbox's.
local function call(_, name, ev, monitor, time, up, running, state, paths, waiting)
  if up or running or state or paths or waiting then take(up, running, state, paths, waiting) end
  if time then wall_time = time end
  -- Its `previous` is here already, or came along in `paths`.
  if monitor then link(ev, known[monitor]) end
  handler_name, handler, event, event_monitor, logs = name, function_for(name, monitor), ev, monitor, 0
  local mine, held = setmetatable({}, LIVE), members.state
  ctx, acting = mine, name ~= "settle"
  local result = run(handler, mine, ev)
  ctx, acting = nil, false
  setmetatable(mine, EXPIRED)
  if name == "settle" then return settle_answer(result, held) end
  if name == "on_path" then known[monitor] = ev end
  if logs > LOGS_PER_HANDLER then
    decide_now(nil, nil, "log", (logs - LOGS_PER_HANDLER) .. " more lines of this call are left out")
  end
  return nil, changed_state(held)
end

local function dispatch(op, ...)
  if op == "describe" then return describe(...) end
  if op == "migrate" then return migrate(...) end
  return host.chunk
end

return dispatch, call
