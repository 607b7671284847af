-- hostile: the same choices inside gsub
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.gsub(("a"):rep(50), ("a?"):rep(50) .. ("a"):rep(50), "x")
  end,
}
