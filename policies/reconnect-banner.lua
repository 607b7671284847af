-- Tells people when the connection is lost, and for five seconds when it is back. A drop within those
-- five seconds goes straight from one text to the other: the banner's end waits for what is pending.
-- Where the connection comes and goes, the banner stays at "Not connected" until it is back for good.
---@type netvane.Policy
local policy = {
  api = 1,
  description = "Tells people when the connection is lost, and for five seconds when it is back.",
  config = {
    grace = "2s",      -- how long an outage must last before people hear of it
    calm = "300ms",    -- how long it must be back,
    restless = 6,      -- and after more changes than these in a minute,
    patience = "5s",   -- how long then
    shown = "5s",      -- how long "Back online" stays
  },
}

function policy.settle(ctx, ev)
  if ev.status ~= "satisfied" then return ctx.config.grace end
  return ev.flaps.last_1m > ctx.config.restless and ctx.config.patience or ctx.config.calm
end

function policy.on_path(ctx, ev)
  if ev.changed.status then ctx.state.closed = nil end
  if ev.status ~= "satisfied" then
    if ctx.state.closed then return end
    ctx.alert.raise { key = "connection", severity = "warning", title = "Not connected", body = ev.why }
  elseif ev.changed.status and not ev.initial then
    ctx.alert.raise { key = "connection", title = "Back online", expires = ctx.config.shown }
  end
end

-- Closed by somebody: not shown again until there is something new to say.
function policy.on_dismissed(ctx)
  ctx.state.closed = true
end

return policy
