-- hostile: joins 10,000 strings with a long separator, in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 10000 do t[i] = "x" end
    local gap = ("-"):rep(90)
    while true do table.concat(t, gap) end
  end,
}
