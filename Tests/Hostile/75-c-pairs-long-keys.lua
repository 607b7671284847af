-- hostile: lists a table whose long keys differ in the last byte
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t, head = {}, ("x"):rep(50000)
    for i = 1, 60 do t[head .. i] = i end
    while true do
      for _ in pairs(t) do break end
    end
  end,
}
