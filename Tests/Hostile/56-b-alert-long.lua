-- hostile: raises an alert with a body of 900 KB
-- expect: ok
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.alert.raise { key = "k", title = "long", body = ("x"):rep(900000) }
  end,
}
