-- hostile: lives at the edge of its memory, so that each allocation collects all of it
-- expect: stopped
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local kept, size = {}, 60000
    while size > 10 do
      local n = #kept
      for i = 1, 200 do kept[n + i] = ("x"):rep(size) .. i end
      size = size // 2
    end
    while true do local _ = {} end
  end,
}
