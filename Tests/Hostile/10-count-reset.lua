-- hostile: restarts the instruction count with short coroutines
-- expect: error global 'coroutine'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    for _ = 1, 1e9 do
      coroutine.wrap(function() for _ = 1, 190 do end end)()
    end
  end,
}
