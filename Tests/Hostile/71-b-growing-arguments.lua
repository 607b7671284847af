-- hostile: adds one argument at each tail call
-- expect: stopped
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function f(n, ...)
      if n > 0 then return f(n - 1, 1, ...) end
    end
    while true do f(20000) end
  end,
}
