-- hostile: requires modules that do not exist for ever
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do pcall(require, "nothing") end
  end,
}
