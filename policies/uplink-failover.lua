-- Publishes which uplink carries, and shows an alert when the preferred one is lost for good. One that comes
-- and goes is judged with more patience, so that it does not come and go on the screen as well. An uplink
-- that was never there is not missed.
---@type netvane.Policy
local policy = {
  api = 1,
  description = "Says which uplink carries, and when the preferred one is lost.",
  monitors = {
    internet = {},
    wired = { required = "wired" },
    fixed = { prohibited = { "wifi", "cellular" } },
  },
  config = {
    preferred = "wired",   -- or "fixed": whatever is neither Wi-Fi nor mobile data
    grace = "30s",         -- how long it must be lost before people hear of it
    calm = "10s",          -- how long it must be back
    restless = 4,          -- after more changes than these in ten minutes,
    patience = "2m",       -- either must last this long
  },
}

function policy.settle(ctx, ev)
  local config, up = ctx.config, ev.status == "satisfied"
  if ev.monitor ~= config.preferred then return up and "0s" or "250ms" end
  if ev.flaps.last_10m > config.restless then return config.patience end
  return up and config.calm or config.grace
end

-- The uplink of a tunnel is what it goes over, where that is known.
local function carrier(ev)
  for _, interface in ipairs(ev.interfaces) do
    if not interface.tunnel then return interface end
  end
  return { type = ev.type, name = ev.interface }
end

-- Both events as they were told last.
local function show(ctx)
  local lost, now = ctx.path(ctx.config.preferred), ctx.path "internet"
  local carries = now and now.status == "satisfied" and now.why or "Nothing else carries."
  ctx.alert.raise { key = "uplink", severity = "warning", body = carries,
    title = lost and lost.changed.flapping and "Preferred uplink unstable" or "Preferred uplink lost" }
end

-- A name that is no monitor's is a fault here and now.
function policy.on_start(ctx)
  ctx.path(ctx.config.preferred)
end

function policy.on_path(ctx, ev)
  local up = ev.status == "satisfied"
  if ev.monitor == "internet" then
    local uplink = up and carrier(ev) or { type = "none", name = "none" }
    ctx.publish("uplink", uplink.type)
    ctx.publish("interface", uplink.name)
  end
  if ev.monitor ~= ctx.config.preferred then
    if ev.monitor == "internet" and ctx.alert.active "uplink" then show(ctx) end
    return
  end
  ctx.publish("preferred", up)
  if ev.changed.status then ctx.state.closed = nil end
  if up then
    ctx.state.had = true
    ctx.alert.resolve "uplink"
  elseif ctx.state.had and not ctx.state.closed then
    show(ctx)
  end
end

function policy.on_dismissed(ctx)
  ctx.state.closed = true
end

return policy
