-- hostile: moves as many elements as there are integers
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    table.move({}, 1, math.maxinteger - 1, 2)
  end,
}
