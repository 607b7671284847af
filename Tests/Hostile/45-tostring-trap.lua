-- hostile: makes the host call a __tostring that never ends
-- expect: error global 'setmetatable'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    error(setmetatable({}, { __tostring = function() while true do end end }))
  end,
}
