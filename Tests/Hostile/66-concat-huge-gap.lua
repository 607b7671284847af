-- hostile: joins with a separator that is itself huge
-- expect: error resulting string too large
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 1000 do t[i] = "" end
    table.concat(t, ("x"):rep(500000))
  end,
}
