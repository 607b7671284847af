-- hostile: takes the hook away
-- expect: error global 'debug'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    debug.sethook()
  end,
}
