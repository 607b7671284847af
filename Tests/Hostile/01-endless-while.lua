-- hostile: never leaves a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do end
  end,
}
