-- hostile: makes a to-be-closed variable of a number
-- expect: error got a non-closable value
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local a <close> = 42
  end,
}
