-- hostile: doubles a string with gsub for ever
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local s = "ab"
    while true do s = s:gsub("%w", "%0%0") end
  end,
}
