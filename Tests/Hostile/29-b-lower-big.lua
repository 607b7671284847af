-- hostile: folds the case of the largest string there can be, in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local big = ("x"):rep(900000)
    while true do big:lower() end
  end,
}
