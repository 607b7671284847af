-- hostile: sorts 60,000 numbers again and again
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 60000 do t[i] = (i * 7919) % 60000 end
    while true do table.sort(t) end
  end,
}
