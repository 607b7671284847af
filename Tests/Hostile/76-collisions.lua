-- hostile: uses keys that all fall into one chain of a table
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 8000 do t[i * 8191] = i end
    while true do local _ = t[8191 * 9000] end
  end,
}
