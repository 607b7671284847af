-- hostile: starts a timer for a text that is too much of a number
-- expect: error duration
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.timer.start("x", "1e9999s")
  end,
}
