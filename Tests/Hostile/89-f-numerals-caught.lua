-- hostile: catches what a numeral of a megabyte leads to
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local s = ("0"):rep(1000000) .. "x"
    while true do pcall(math.floor, s) end
  end,
}
