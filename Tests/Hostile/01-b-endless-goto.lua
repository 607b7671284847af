-- hostile: jumps backwards for ever, without a call
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    ::again::
    goto again
  end,
}
