-- hostile: raises and resolves one alert a thousand times
-- expect: ok
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    for _ = 1, 1000 do
      ctx.alert.raise { key = "k", title = "blink" }
      ctx.alert.resolve("k")
    end
  end,
}
