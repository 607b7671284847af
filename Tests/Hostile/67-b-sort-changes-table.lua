-- hostile: empties the table while it is sorted
-- expect: ok
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 200 do t[i] = 200 - i end
    table.sort(t, function(a, b)
      for i = 1, 200 do t[i] = nil end
      return a < b
    end)
  end,
}
