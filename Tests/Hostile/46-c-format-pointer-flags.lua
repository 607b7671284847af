-- hostile: hides the pointer conversion behind flags
-- expect: error '%p' is not available
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.format("%d%-20p", 1, {})
  end,
}
