-- hostile: requires a number
-- expect: error module '7' not found in lib/
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    require(7)
  end,
}
