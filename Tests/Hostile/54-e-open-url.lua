-- hostile: opens an address with a password
-- expect: ok
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.open_url { key = "web", url = "http://user:pw@example.com/" }
  end,
}
