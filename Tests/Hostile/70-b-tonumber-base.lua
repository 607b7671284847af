-- hostile: converts a text of 900,000 digits with a base in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local digits = ("z"):rep(900000)
    while true do tonumber(digits, 36) end
  end,
}
