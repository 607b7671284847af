-- hostile: pushes 900,000 bytes onto the stack
-- expect: error string slice too long
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.byte(("x"):rep(900000), 1, -1)
  end,
}
