-- hostile: requires a path out of lib/
-- expect: error module '../../x' not found in lib/
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    require "../../x"
  end,
}
