-- Tells people when the connection is lost, and for five seconds when it is back. A drop within those
-- five seconds goes straight from one text to the other: the banner's end waits for what is pending.
---@type netvane.Policy
local policy = {
  api = 1,
  description = "Tells people when the connection is lost, and for five seconds when it is back.",
  config = { grace = "2s", calm = "300ms", shown = "5s" },
}

-- How long a change must hold before anybody hears of it.
function policy.settle(ctx, ev)
  return ev.status == "satisfied" and ctx.config.calm or ctx.config.grace
end

function policy.on_path(ctx, ev)
  if ev.status ~= "satisfied" then
    ctx.alert.raise { key = "connection", severity = "warning", title = "Not connected", body = ev.why }
  elseif ev.changed.status and not ev.initial then
    ctx.alert.raise { key = "connection", title = "Back online", expires = ctx.config.shown }
  end
end

return policy
