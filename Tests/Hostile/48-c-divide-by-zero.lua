-- hostile: divides an integer by zero
-- expect: error attempt to
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local zero = 0
    return 1 // zero
  end,
}
