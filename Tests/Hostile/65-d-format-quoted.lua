-- hostile: quotes a long string of control characters in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local big = ("\1"):rep(200000)
    while true do string.format("%q", big) end
  end,
}
