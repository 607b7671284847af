-- hostile: sorts texts of a megabyte of NULs, many times
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local a, b = ("\0"):rep(1000000), ("\0"):rep(999999) .. "x"
    local t = {}
    while true do
      for i = 1, 1000 do t[i] = i % 2 == 0 and a or b end
      table.sort(t)
    end
  end,
}
