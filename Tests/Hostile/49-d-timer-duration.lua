-- hostile: starts a timer for 1e300
-- expect: error duration
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.timer.start("x", 1e300)
  end,
}
