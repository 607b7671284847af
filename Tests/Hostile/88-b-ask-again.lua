-- hostile: asks again for whatever was dropped, for ever
-- expect: ok
-- stage: handler
-- needs: api

local function ask(ctx)
  for place = 1, 64 do
    ctx.exec { key = "k" .. place, command = "c", only_while = "requiresConnection" }
  end
end
return { api = 1, on_start = ask, on_path = ask, on_result = ask, on_timer = ask, every = { tick = "1s" } }
