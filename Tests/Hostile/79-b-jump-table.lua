-- hostile: has more jumps than instructions that do something
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local n = 0
    ::top::
    n = n + 1
    if n % 2 == 0 then goto even end
    goto top
    ::even::
    goto top
  end,
}
