-- hostile: calls the step of ipairs with a numeral of a megabyte
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local step, s = ipairs {}, ("0"):rep(1000000) .. "65"
    while true do step({}, s) end
  end,
}
