-- hostile: unpacks a range that wraps around
-- expect: error too many results to unpack
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    table.unpack({}, math.mininteger, math.maxinteger)
  end,
}
