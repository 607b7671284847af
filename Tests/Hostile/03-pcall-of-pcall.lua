-- hostile: hides the spinning function behind several pcalls
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function spin() while true do end end
    pcall(pcall, pcall, pcall, spin)
    spin()
  end,
}
