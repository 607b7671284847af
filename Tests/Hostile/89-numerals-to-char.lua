-- hostile: gives string.char 32,000 numerals of a megabyte
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local s, t = ("0"):rep(1000000) .. "65", {}
    for i = 1, 32000 do t[i] = s end
    string.char(table.unpack(t))
  end,
}
