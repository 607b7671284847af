-- hostile: uses 900 KB strings as keys, in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    for i = 1, 1e9 do
      t[("k"):rep(900000) .. i] = 1
      t = {}
    end
  end,
}
