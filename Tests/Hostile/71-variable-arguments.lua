-- hostile: passes 30,000 variable arguments on, in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function count(...) return select("#", ...) end
    local function many(...)
      while true do count(...) end
    end
    many(table.unpack({}, 1, 10000))
  end,
}
