-- hostile: walks a large table with next, which looks at all of it each time
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 20000 do t[i] = i end
    local k
    repeat k = next(t, k) until k == nil
  end,
}
