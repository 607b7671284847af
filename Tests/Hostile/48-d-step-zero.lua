-- hostile: loops with a step of zero
-- expect: error 'for' step is zero
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    for _ = 1, 0, 0 do end
  end,
}
