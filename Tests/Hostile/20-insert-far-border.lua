-- hostile: inserts into a table whose length is near 2^62
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = { 1, 2, 3, 4, 5, [8] = 1, [9] = 1 }
    for i = 4, 62 do t[1 << i] = 1 end
    t[6], t[7] = nil, nil
    for n = 1, 64 do
      if #t < 1 << 40 then t[n] = n else break end
    end
    table.insert(t, 1, 0)
    while #t < 1 << 40 do end
  end,
}
