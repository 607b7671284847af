-- hostile: orders them in tail calls, which leave no line
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local a, b = ("\0"):rep(1000000), ("\0"):rep(999999) .. "x"
    local function f(n) local _ = a < b return n == 0 or f(n - 1) end
    return f(2000)
  end,
}
