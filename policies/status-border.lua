-- Publishes whether there is a path, and the colour for it: what a status bar or a window's border
-- shows. Others may observe both values; they are published when they change, not before. Until the
-- first verdict after a start the colour is one of its own, and nothing counts as connected.
---@type netvane.Policy
local policy = {
  api = 1,
  description = "Publishes whether there is a connection, and a colour for it.",
  config = { connected = "green", disconnected = "red", unknown = "gray" },
}

function policy.on_start(ctx, ev)
  if ev.reason == "reload" then return end
  ctx.publish("connected", false)
  ctx.publish("color", ctx.config.unknown)
end

function policy.on_path(ctx, ev)
  local connected = ev.status == "satisfied"
  ctx.publish("connected", connected)
  ctx.publish("color", connected and ctx.config.connected or ctx.config.disconnected)
end

return policy
