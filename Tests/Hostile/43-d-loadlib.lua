-- hostile: loads native code
-- expect: error global 'package'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    package.loadlib("libc.so.6", "system")
  end,
}
