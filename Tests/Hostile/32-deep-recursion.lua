-- hostile: calls itself until the stack is full
-- expect: memory
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function f() return 1 + f() end
    f()
  end,
}
