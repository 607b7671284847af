-- hostile: uses not-a-number as a key
-- expect: error index is NaN
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    t[0 / 0] = 1
  end,
}
