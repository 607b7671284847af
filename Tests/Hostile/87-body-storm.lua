-- hostile: asks for eight requests with the largest body
-- expect: ok
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    local body = ("x"):rep(65536)
    for place = 1, 8 do
      ctx.http { key = "k" .. place, url = "https://www.example.com/", method = "POST", body = body }
    end
  end,
}
