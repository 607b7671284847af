-- hostile: catches the stop inside the callback of gsub
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do
      pcall(string.gsub, "x", "x", function() while true do end end)
    end
  end,
}
