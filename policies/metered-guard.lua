-- Pauses what can wait while the path costs money or is to be spared, and lets it go on when it does not.
-- Without a path there is nothing to decide: a hotspot that drops and returns changes nothing. Pausing is
-- at once, going on only when the cheaper path lasts.
---@type netvane.Policy
local policy = {
  api = 1,
  description = "Publishes whether syncing should pause, and runs a command when that changes.",
  monitors = { internet = { settle_max = "1d" } },   -- a cost that never rests is no reason to go on
  config = {
    expensive = true,           -- whether to pause while the path is expensive,
    constrained = true,         -- and while it is constrained
    paused = "pause-sync",      -- the granted command that pauses; "" for none
    running = "resume-sync",    -- and the one that lets it go on
    calm = "10s",               -- how long a path must have been cheap
    attempts = 3,               -- how often a command that fails is tried
    shown = "10m",              -- how long it says that one failed
  },
}

local function wanted(ctx, ev)
  local spared = ctx.config.expensive and ev.expensive or ctx.config.constrained and ev.constrained
  return spared and "paused" or "running"
end

function policy.settle(ctx, ev)
  if ev.status ~= "satisfied" then return "1h" end   -- no news here, however long
  return ctx.state.sync == "paused" and wanted(ctx, ev) == "running" and ctx.config.calm or "0s"
end

local function apply(ctx, ev)
  if ev.status ~= "satisfied" then return end
  local sync = wanted(ctx, ev)
  ctx.publish("sync", sync)
  if sync == ctx.state.sync then return end
  -- Who remembers nothing may have paused before; that this was for nothing is nobody's business.
  ctx.state.quiet = ctx.state.sync == nil and sync == "running"
  ctx.state.sync = sync
  ctx.alert.resolve "trouble"
  if ctx.config[sync] == "" then return ctx.cancel "sync" end
  ctx.retry { key = "sync", now = true, during = "always", attempts = ctx.config.attempts,
    exec = { command = ctx.config[sync] } }
end

function policy.on_path(ctx, ev)
  apply(ctx, ev)
end

-- The configuration may say otherwise now.
function policy.on_start(ctx)
  local ev = ctx.path "internet"
  if ev then apply(ctx, ev) end
end

function policy.on_result(ctx, ev)
  if ev.ok then return ctx.alert.resolve "trouble" end
  if ev.dropped or ctx.state.quiet then return end
  -- One that fails before its last try has made way for the other command.
  if not ev.refused and ev.attempt < ctx.config.attempts then return end
  ctx.alert.raise { key = "trouble", severity = "warning", body = ev.error, expires = ctx.config.shown,
    title = ctx.state.sync == "paused" and "Syncing could not be paused" or "Syncing could not go on" }
end

return policy
