-- hostile: gives itself another environment
-- expect: ok
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local _ENV = { t = 1 }
    t = 2
  end,
}
