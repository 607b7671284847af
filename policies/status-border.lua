-- Publishes whether there is a path, and the colour for it: what a status bar or a window's border
-- shows. Others may observe both values; they are published when they change, not before.
---@type netvane.Policy
local policy = {
  api = 1,
  description = "Publishes whether there is a connection, and a colour for it.",
  config = { connected = "green", disconnected = "red" },
}

function policy.on_path(ctx, ev)
  local connected = ev.status == "satisfied"
  ctx.publish("connected", connected)
  ctx.publish("color", connected and ctx.config.connected or ctx.config.disconnected)
end

return policy
