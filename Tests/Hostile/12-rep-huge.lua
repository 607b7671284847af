-- hostile: asks for a terabyte in one string
-- expect: error resulting string too large
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local s = ("x"):rep(1 << 40)
    return #s
  end,
}
