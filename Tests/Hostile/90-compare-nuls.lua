-- hostile: orders two texts of a megabyte of NULs 2,000 times
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local a, b = ("\0"):rep(1000000), ("\0"):rep(999999) .. "x"
    for i = 1, 2000 do local _ = a < b end
  end,
}
