-- hostile: asks for 999 digits after the point
-- expect: error invalid conversion
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.format("%.999f", 1)
  end,
}
