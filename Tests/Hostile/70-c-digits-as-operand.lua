-- hostile: uses a text of 900,000 digits as an operand
-- expect: error bitwise operation on a string
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local digits = ("0"):rep(900000) .. "1"
    while true do local _ = digits | 1 end
  end,
}
