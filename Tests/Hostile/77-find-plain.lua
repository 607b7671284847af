-- hostile: looks for a long text that is almost everywhere
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local s, p = ("a"):rep(900000), ("a"):rep(400000) .. "b"
    string.find(s, p, 1, true)
    while true do string.find(s, p, 1, true) end
  end,
}
