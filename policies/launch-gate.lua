-- Decides at start, and again each time the machine wakes, whether what people came for may open: with a
-- connection it publishes where to go, without one it asks until there is one. Once open the gate stays
-- open; later outages are for others to tell of. That somebody was here before is kept in ctx.state.
---@type netvane.Policy
local policy = {
  api = 1,
  description = "Says at start and after sleep where to go, or asks what to do without a connection.",
  config = {
    main = "main",           -- what `route` is when the gate opens; "none" while it is shut
    first = "onboarding",    -- and what it is the very first time
    quit = "quit",           -- the granted command behind Quit
    settings = "settings",   -- and behind Open settings; a window that stays wants `setsid --fork` before it
    waking = "12s",          -- so long after waking a path that is what it was counts again; more than 10s
    shown = "30s",           -- how long it says that a button did not work
  },
}

local function judge(ctx, ev)
  if ev.status == "satisfied" then
    ctx.publish("route", ctx.state.known and ctx.config.main or ctx.config.first)
    ctx.state.known, ctx.state.open = true, true
    ctx.alert.resolve "gate"
  else
    ctx.publish("route", "none")
    if ctx.state.closed then return end
    ctx.alert.raise { key = "gate", severity = "warning", title = "No connection", body = ev.why,
      buttons = { { id = "quit", label = "Quit" }, { id = "settings", label = "Open settings" } } }
  end
end

function policy.on_start(ctx, ev)
  if ev.reason == "reload" then return end
  ctx.state.open, ctx.state.closed = nil, nil
  ctx.publish("route", "none")   -- until it is judged: an earlier run's answer proves nothing
end

function policy.on_path(ctx, ev)
  ctx.publish("type", ev.status == "satisfied" and ev.type or "none")
  if ev.changed.status then ctx.state.closed = nil end
  if not ctx.state.open then judge(ctx, ev) end
end

-- What was known before the sleep proves nothing, and what did not change is not told again.
function policy.on_system(ctx, ev)
  if ev.what ~= "resumed" then return end
  ctx.state.open, ctx.state.closed = nil, nil
  ctx.timer.start("waking", ctx.config.waking)
end

function policy.on_timer(ctx)
  local ev = ctx.path "internet"
  if ev and not ctx.state.open then judge(ctx, ev) end
end

function policy.on_button(ctx, ev)
  ctx.exec { key = ev.button, command = ctx.config[ev.button] }
end

function policy.on_result(ctx, ev)
  if ev.dropped then return end
  if not ev.ok then
    ctx.alert.raise { key = "trouble", severity = "warning", title = "That did not work", body = ev.error,
      expires = ctx.config.shown }
  elseif ev.key == "quit" then
    ctx.state.closed = true
    ctx.alert.resolve "gate"
  end
end

function policy.on_dismissed(ctx, ev)
  if ev.key == "gate" then ctx.state.closed = true end
end

return policy
