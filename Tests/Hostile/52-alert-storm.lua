-- hostile: raises a million alerts
-- expect: error at most 64
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    for i = 1, 1000000 do
      ctx.alert.raise { key = "k" .. i, title = "storm" }
    end
  end,
}
