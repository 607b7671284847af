-- hostile: folds the case of a huge string in a loop
-- expect: error resulting string too large
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do ("x"):rep(4000000):lower() end
  end,
}
