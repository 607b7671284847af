-- hostile: joins up to the last integer
-- expect: error invalid value
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    table.concat({}, "", math.maxinteger, math.maxinteger)
  end,
}
