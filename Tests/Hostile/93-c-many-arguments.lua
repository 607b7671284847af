-- hostile: passes 10,000 arguments on, just too quickly to be slow
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function f(...) return select("#", ...) end
    local function g(...) while true do f(...) end end
    g(table.unpack({}, 1, 10000))
  end,
}
