-- hostile: walks a long set at each frontier
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.find(("x"):rep(100000), "%f[" .. ("y"):rep(100000) .. "]z")
  end,
}
