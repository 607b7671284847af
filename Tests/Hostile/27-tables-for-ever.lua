-- hostile: keeps ten million tables
-- expect: memory
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 1e7 do t[i] = {} end
  end,
}
