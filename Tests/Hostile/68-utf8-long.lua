-- hostile: measures a long text in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local big = ("\u{20AC}"):rep(300000)
    while true do utf8.len(big) end
  end,
}
