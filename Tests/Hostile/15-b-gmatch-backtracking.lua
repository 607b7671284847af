-- hostile: the same choices inside gmatch
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    for _ in ("a"):rep(50):gmatch(("a?"):rep(50) .. ("a"):rep(50) .. "b") do end
  end,
}
