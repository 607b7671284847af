-- hostile: raises and catches errors for ever
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do pcall(error) end
  end,
}
