-- hostile: starts a timer of no time that starts itself again
-- expect: error duration
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx) ctx.timer.start("again", "0s") end,
  on_timer = function(ctx, ev) ctx.timer.start(ev.name, "0s") end,
}
