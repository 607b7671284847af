-- hostile: changes the event it was given
-- expect: error read-only
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ev.reason = "mine"
  end,
}
