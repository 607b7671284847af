-- hostile: fills, empties and refills a full table so that each key rebuilds it
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 16384 do t["k" .. i] = i end
    for i = 1, 1e9 do
      t["k" .. i] = nil
      t["k" .. (i + 16384)] = i
    end
  end,
}
