-- hostile: formats a long string many times over in one call
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local big = ("x"):rep(100000)
    while true do string.format("%s%s%s%s", big, big, big, big) end
  end,
}
