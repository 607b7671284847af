-- hostile: looks for the end of each of 100,000 open brackets
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.find(("("):rep(100000), "%b()")
  end,
}
