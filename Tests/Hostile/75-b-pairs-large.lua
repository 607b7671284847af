-- hostile: lists a large table in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 10000 do t["key" .. i] = i end
    while true do
      for _ in pairs(t) do break end
    end
  end,
}
