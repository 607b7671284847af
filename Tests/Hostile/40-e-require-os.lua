-- hostile: requires a standard library by name
-- expect: error module 'os' not found in lib/
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    require "os"
  end,
}
