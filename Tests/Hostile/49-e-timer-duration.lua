-- hostile: starts a timer for the smallest integer
-- expect: error duration
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.timer.start("x", math.mininteger)
  end,
}
