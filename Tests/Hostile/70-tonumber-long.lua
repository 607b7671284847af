-- hostile: converts a text of 900,000 digits in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local digits = ("1"):rep(900000)
    while true do tonumber(digits) end
  end,
}
