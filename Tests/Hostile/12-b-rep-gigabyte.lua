-- hostile: asks for a gigabyte in one string
-- expect: error resulting string too large
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local s = ("x"):rep(1 << 30)
    return #s
  end,
}
