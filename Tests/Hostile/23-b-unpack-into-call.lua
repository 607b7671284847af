-- hostile: passes 200,000 values to one function
-- expect: error too many results to unpack
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function count(...) return select("#", ...) end
    count(table.unpack({}, 1, 2e5))
  end,
}
