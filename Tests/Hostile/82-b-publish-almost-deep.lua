-- hostile: publishes a value just so deep that it is taken but cannot be handed on
-- expect: error ctx.publish('deep')
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    local root = {}
    local t = root
    for _ = 1, 14 do
      t.t = {}
      t = t.t
    end
    ctx.publish("deep", root)
  end,
}
