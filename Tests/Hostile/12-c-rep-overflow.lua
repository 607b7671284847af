-- hostile: lets length times count wrap around
-- expect: error resulting string too large
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local s = ("x"):rep(math.maxinteger, "yy")
    return #s
  end,
}
