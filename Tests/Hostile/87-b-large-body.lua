-- hostile: sends more than the largest body
-- expect: error a body may have 64 KiB
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.http { key = "k", url = "https://www.example.com/", method = "POST", body = ("x"):rep(65537) }
  end,
}
