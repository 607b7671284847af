-- hostile: starts a timer for not-a-number
-- expect: error duration
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.timer.start("x", 0 / 0)
  end,
}
