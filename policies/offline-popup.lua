-- Shows an alert while there is no path; it goes when the path returns. Works again after any number
-- of outages, since the alert belongs to its key and not to a window somebody keeps. Whoever closes it
-- has peace until the next outage, whatever else changes meanwhile.
---@type netvane.Policy
local policy = {
  api = 1,
  description = "Shows an alert as long as there is no connection.",
  config = { grace = "2s" },   -- how long an outage must last before people hear of it
}

function policy.settle(ctx, ev)
  return ev.status == "satisfied" and "0s" or ctx.config.grace
end

function policy.on_path(ctx, ev)
  if ev.changed.status then ctx.state.closed = nil end
  if ev.status == "satisfied" then
    ctx.alert.resolve "offline"
  elseif not ctx.state.closed then
    ctx.alert.raise { key = "offline", severity = "warning", title = "No connection", body = ev.why }
  end
end

function policy.on_dismissed(ctx)
  ctx.state.closed = true
end

return policy
