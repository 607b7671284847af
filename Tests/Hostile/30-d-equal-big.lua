-- hostile: compares two equal 900 KB strings in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local a, b = ("x"):rep(900000), ("x"):rep(900000)
    while true do local _ = a == b end
  end,
}
