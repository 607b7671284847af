-- hostile: sorts long strings that differ in the last byte
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t, head = {}, ("x"):rep(100000)
    for i = 1, 40 do t[i] = head .. (i * 7 % 40) end
    while true do table.sort(t) end
  end,
}
