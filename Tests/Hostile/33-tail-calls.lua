-- hostile: calls itself for ever without needing a stack
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function f() return f() end
    f()
  end,
}
