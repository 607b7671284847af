-- hostile: nests the state just so deep that it is kept but cannot be handed on
-- expect: error ctx.state.t.t.t
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = ctx.state
    for _ = 1, 15 do
      t.t = {}
      t = t.t
    end
  end,
}
