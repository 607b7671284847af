-- hostile: keeps a state of the same emptied table, many times
-- expect: fuel
-- needs: api
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t, s = {}, {}
    for i = 1, 16000 do t[i + 0.5] = true end
    for i = 1, 16000 do t[i + 0.5] = nil end
    for i = 1, 30000 do s[i] = t end
    ctx.state = s
  end,
}
