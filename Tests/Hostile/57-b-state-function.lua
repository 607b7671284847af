-- hostile: keeps a function in the state
-- expect: error a function is not plain data
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.state.f = function() end
  end,
}
