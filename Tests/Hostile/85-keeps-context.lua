-- hostile: puts the context itself into the state, where it would look like an empty table
-- expect: error ctx.state.c
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.state.c = ctx
  end,
}
