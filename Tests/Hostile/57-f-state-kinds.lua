-- hostile: keeps 2^53 + 1 and 1.0, which must stay what they are
-- expect: ok
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.state.big = (1 << 53) + 1
    ctx.state.float = 1.0
    ctx.state.integer = 1
  end,
}
