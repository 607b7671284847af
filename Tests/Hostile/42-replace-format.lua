-- hostile: replaces a library function for everyone
-- expect: error the table 'string' is read-only
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.format = function() return "evil" end
  end,
}
