-- hostile: selects from the far end
-- expect: error index out of range
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    select(math.mininteger, 1, 2, 3)
  end,
}
