-- hostile: sorts by a function that always says yes
-- expect: error invalid order function
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 1000 do t[i] = i end
    table.sort(t, function() return true end)
  end,
}
