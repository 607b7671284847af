-- hostile: opens a local file
-- expect: ok
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.open_url { key = "web", url = "file:///etc/passwd" }
  end,
}
