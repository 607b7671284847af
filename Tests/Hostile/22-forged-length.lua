-- hostile: gives a table a length of its own
-- expect: error global 'setmetatable'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    table.insert(setmetatable({}, { __len = function() return math.maxinteger end }), 1, 5)
  end,
}
