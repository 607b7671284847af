-- hostile: puts the state into itself
-- expect: error state
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.state.self = ctx.state
  end,
}
