-- hostile: catches the stop inside a comparator
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do
      pcall(table.sort, { 2, 1, 3 }, function() while true do end end)
    end
  end,
}
