-- hostile: keeps 100,000 keys in the state
-- expect: memory
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    for i = 1, 100000 do ctx.state["k" .. i] = true end
  end,
}
