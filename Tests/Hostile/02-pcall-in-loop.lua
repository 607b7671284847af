-- hostile: catches each stop and starts over
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do
      pcall(function() while true do end end)
    end
  end,
}
