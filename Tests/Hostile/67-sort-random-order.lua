-- hostile: sorts by a function that contradicts itself
-- expect: ok
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t, turn = {}, false
    for i = 1, 500 do t[i] = i end
    table.sort(t, function(a, b)
      turn = not turn
      return a ~= b and turn
    end)
    assert(#t == 500)
  end,
}
