-- hostile: formats an address
-- expect: error '%p' is not available
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.format("%p", {})
  end,
}
