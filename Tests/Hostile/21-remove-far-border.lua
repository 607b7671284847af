-- hostile: removes from a table whose length is near 2^62
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = { 1, 2, 3, 4, 5, [8] = 1, [9] = 1 }
    for i = 4, 62 do t[1 << i] = 1 end
    table.remove(t, 1)
    while #t < 1 << 40 do end
  end,
}
