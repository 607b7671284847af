-- hostile: edits the bytecode of a function
-- expect: error field 'dump'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local code = string.dump(function() return 1 end)
    load(code:gsub("\x01", "\xFF"))()
  end,
}
