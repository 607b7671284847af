-- hostile: unpacks ten million values
-- expect: error too many results to unpack
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    table.unpack({}, 1, 1e7)
  end,
}
