-- hostile: scans a set of 100,000 characters for each character of the subject
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.find(("x"):rep(100000), "[" .. ("y"):rep(100000) .. "x]*z")
  end,
}
