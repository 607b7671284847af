-- hostile: wakes itself through what it publishes
-- expect: ok
-- stage: handler
-- needs: api

local function publish(ctx)
  ctx.state.turn = (ctx.state.turn or 0) + 1
  ctx.publish("turn", ctx.state.turn)
end
return { api = 1, on_start = publish, on_path = publish, on_timer = publish }
