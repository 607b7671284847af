-- hostile: raises nil
-- expect: error (error object is a nil value)
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    error(nil)
  end,
}
