-- hostile: nests the state 100,000 tables deep
-- expect: error nested too deeply
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = ctx.state
    for _ = 1, 10000 do
      t.t = {}
      t = t.t
    end
  end,
}
