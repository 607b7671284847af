-- Tells people when the connection is lost, and for five seconds when it is back. A drop within those
-- five seconds goes straight from one text to the other: the banner's end waits for what is pending.
-- A connection that comes and goes gets one calm banner that says so.
---@type netvane.Policy
local policy = {
  api = 1,
  description = "Tells people when the connection is lost, and for five seconds when it is back.",
  config = {
    grace = "2s",      -- how long an outage must last before people hear of it
    calm = "300ms",    -- how long it must be back
    restless = 6,      -- after more changes than these in a minute,
    patience = "5s",   -- either must last this long
    shown = "5s",      -- how long "Back online" stays
    unstable = "1m",   -- and how long "Unstable connection", from when it was last seen
  },
}

function policy.settle(ctx, ev)
  if ev.flaps.last_1m > ctx.config.restless then return ctx.config.patience end
  return ev.status == "satisfied" and ctx.config.calm or ctx.config.grace
end

function policy.on_path(ctx, ev)
  if ev.changed.status then ctx.state.closed = nil end
  local up = ev.status == "satisfied"
  if ev.changed.flapping then
    ctx.alert.raise { key = "connection", severity = "warning", title = "Unstable connection",
      body = "It comes and goes.", expires = up and ctx.config.unstable or nil }
  elseif not up and not ctx.state.closed then
    ctx.alert.raise { key = "connection", severity = "warning", title = "Not connected", body = ev.why }
  elseif up and (ev.changed.status and not ev.initial or ev.initial and ctx.alert.active "connection") then
    ctx.alert.raise { key = "connection", title = "Back online", expires = ctx.config.shown }
  end
end

-- Closed by somebody: not shown again until there is something new to say.
function policy.on_dismissed(ctx)
  ctx.state.closed = true
end

return policy
