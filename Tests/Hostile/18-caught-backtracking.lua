-- hostile: catches the stop of a long match and starts the next
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do
      pcall(string.find, ("a"):rep(10000), ".-.-.-.-b$")
    end
  end,
}
