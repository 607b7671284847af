-- hostile: orders texts of 60 KB, below what is watched closely
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local a, b = ("\0"):rep(60000), ("\0"):rep(60000) .. "x"
    while true do local _ = a < b end
  end,
}
