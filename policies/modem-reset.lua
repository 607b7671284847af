-- Resets the modem when its uplink has been down for ten minutes, and says so. While that does not help it is
-- done again every ten minutes, within a limit. An uplink that was never up is left alone, and so is a modem
-- that carries another uplink: no command runs while an uplink that it serves has a path.
---@type netvane.Policy
local policy = {
  api = 1,
  description = "Runs a command that resets the modem when its uplink stays down.",
  monitors = { wired = { required = "wired" }, cellular = { required = "cellular" } },
  config = {
    cellular = "reset-modem",   -- the granted command for each uplink; "" leaves it alone
    wired = "",                 -- for a modem behind the cable, name a command that resets that one
    unseen = false,             -- whether an uplink that was never up counts as well
    down = "10m",               -- how long it must be down; after a sleep this begins anew
    limit = "3/1h",             -- at most so many runs of one command
    disturbs = "2m",            -- so long after a reset, changes of the network are its doing
    timeout = "1m",             -- of the command
    shown = "1h",               -- how long it says what it did
  },
  state = { had = {}, by = {}, closed = {} },   -- by uplink, `by` by command: what it was last run for
}
local UPLINKS = { "cellular", "wired" }

function policy.on_path(ctx, ev)
  local uplink = ev.monitor
  if ev.status == "satisfied" then
    ctx.state.had[uplink], ctx.state.closed[uplink] = true, nil
    ctx.timer.cancel(uplink)
    ctx.alert.resolve(uplink)
  elseif ctx.config[uplink] ~= "" and (ctx.state.had[uplink] or ctx.config.unseen) then
    if ev.initial or ev.changed.status then ctx.timer.start_once(uplink, ctx.config.down) end
  end
end

-- Gives the uplinks that wait their whole time again: all, or those that one command is for.
local function wait_again(ctx, command)
  for _, uplink in ipairs(UPLINKS) do
    if ctx.timer.active(uplink) and (not command or ctx.config[uplink] == command) then
      ctx.timer.start(uplink, ctx.config.down)
    end
  end
end

function policy.on_system(ctx, ev)
  if ev.what == "resumed" then wait_again(ctx) end
end

-- Whether a command would take away a path that is there.
local function harms(ctx, command)
  for _, uplink in ipairs(UPLINKS) do
    local ev = ctx.path(uplink)
    if ctx.config[uplink] == command and ev and ev.status == "satisfied" then return true end
  end
  return false
end

function policy.on_timer(ctx, ev)
  local config, command = ctx.config, ctx.config[ev.name]
  if command == "" then return end
  ctx.timer.start(ev.name, config.down)
  if harms(ctx, command) then return end
  wait_again(ctx, command)
  ctx.state.by[command] = ev.name
  ctx.exec { key = command, command = command, timeout = config.timeout, limit = config.limit,
    disturbs = config.disturbs }
end

function policy.on_result(ctx, ev)
  if ev.dropped then return end
  local uplink = ctx.state.by[ev.key]
  local about = ("At %02d:%02d, the %s uplink being down for %s or longer."):format(
    ctx.time.hour, ctx.time.minute, uplink, ctx.config.down)
  if ev.ok then
    ctx.state.closed[uplink] = nil
    ctx.alert.resolve(uplink)
    ctx.alert.raise { key = "reset", title = "The modem was reset", body = about, expires = ctx.config.shown }
    return
  end
  local waits = ctx.timer.active(uplink)   -- not if it came back while the command ran
  -- What is not granted now is not granted in ten minutes either.
  if ev.refused and not ev.error:find("^more than ") then ctx.timer.cancel(uplink) end
  if not waits or ctx.state.closed[uplink] then return end
  ctx.alert.raise { key = uplink, severity = "warning", title = "The modem was not reset",
    body = "Its " .. uplink .. " uplink is down, but: " .. ev.error, expires = ctx.config.shown }
end

function policy.on_dismissed(ctx, ev)
  ctx.state.closed[ev.key] = true
end

return policy
