-- hostile: keeps closures for ever
-- expect: memory
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local f
    while true do
      local inner = f
      f = function() return inner end
    end
  end,
}
