-- hostile: catches refused repetitions for ever
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do pcall(string.rep, "x", 1e9) end
  end,
}
