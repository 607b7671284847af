-- hostile: makes a matcher try 2^30 choices
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.find(("a"):rep(30), ("a?"):rep(30) .. ("a"):rep(30))
  end,
}
