-- hostile: prints for ever
-- expect: fuel
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do print("noise") end
  end,
}
