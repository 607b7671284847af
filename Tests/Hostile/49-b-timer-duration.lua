-- hostile: starts a timer for infinity
-- expect: error duration
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.timer.start("x", 1 / 0)
  end,
}
