-- hostile: joins as many elements as there are integers
-- expect: error invalid value (at index 1)
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    table.concat({}, "", 1, math.maxinteger)
  end,
}
