-- hostile: appends to a 900 KB string in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local big = ("x"):rep(900000)
    for i = 1, 1e9 do local _ = big .. i end
  end,
}
