-- hostile: depends on the order of keys and on chance
-- expect: ok
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local seen = {}
    for k in pairs({ zeta = 1, alpha = 2, [3] = 3, [1] = 4, [2.5] = 5, [true] = 6, [false] = 7 }) do
      seen[#seen + 1] = tostring(k)
    end
    assert(table.concat(seen, " ") == "1 3 2.5 alpha zeta false true")
    local a = math.random(1, 6)
    assert(a >= 1 and a <= 6)
  end,
}
