-- hostile: pushes 30,000 bytes onto the stack again and again
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local s = ("x"):rep(30000)
    while true do string.byte(s, 1, -1) end
  end,
}
