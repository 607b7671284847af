-- hostile: asks for a field of 99,999 digits
-- expect: error invalid conversion
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.format("%99999d", 1)
  end,
}
