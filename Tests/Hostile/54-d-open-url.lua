-- hostile: opens an address of 900 KB
-- expect: error a URL may have 2048 bytes
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.open_url { key = "web", url = "http://example.com/" .. ("x"):rep(900000) }
  end,
}
