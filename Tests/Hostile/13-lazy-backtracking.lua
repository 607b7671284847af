-- hostile: lets four lazy repetitions try every way to split a string
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.find(("a"):rep(10000), ".-.-.-.-b$")
  end,
}
