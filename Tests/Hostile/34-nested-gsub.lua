-- hostile: calls gsub from the callback of gsub, to exhaust the native stack
-- expect: error C stack overflow
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function g(s)
      return s:gsub(".", function() return g(s) end)
    end
    g("abc")
  end,
}
