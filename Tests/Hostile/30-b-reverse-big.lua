-- hostile: reverses a 900 KB string in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local big = ("x"):rep(900000)
    while true do big:reverse() end
  end,
}
