-- hostile: replaces the methods of strings
-- expect: error global 'getmetatable'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    getmetatable("").__index = function() return "evil" end
  end,
}
