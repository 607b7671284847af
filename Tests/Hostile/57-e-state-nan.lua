-- hostile: keeps not-a-number in the state
-- expect: error nan
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.state.x = 0 / 0
  end,
}
