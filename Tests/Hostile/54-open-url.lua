-- hostile: opens a script
-- expect: ok
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.open_url { key = "web", url = "javascript:alert(1)" }
  end,
}
