-- hostile: replaces the empty string between all characters, in a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local s = ("x"):rep(10000)
    while true do s:gsub("", "") end
  end,
}
