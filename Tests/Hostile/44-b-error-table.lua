-- hostile: raises a table
-- expect: error (error object is a table value)
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    error({})
  end,
}
