-- hostile: makes up a key for each action
-- expect: ok
-- stage: handler
-- needs: api

local count = 0
local function ask(ctx)
  for _ = 1, 32 do
    count = count + 1
    ctx.retry { key = "k" .. count, exec = { command = "c" }, limit = "1/366d", base = "1s" }
    ctx.cancel("k" .. count)
  end
end
return { api = 1, on_path = ask, on_timer = ask, every = { tick = "1s" } }
