-- hostile: writes out floats without end
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 30000 do t[i] = i * 1.7e300 end
    while true do pcall(table.concat, t) end
  end,
}
