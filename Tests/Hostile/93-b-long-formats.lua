-- hostile: formats 1.7e308 with 99 digits behind the point
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do string.format("%99.99f", 1.7e308) end
  end,
}
