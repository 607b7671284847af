-- hostile: raises a table that only looks as if it had a __tostring
-- expect: error (error object is a table value)
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    error({ __tostring = function() while true do end end, __name = "text" })
  end,
}
