-- hostile: asks for a coroutine
-- expect: error global 'coroutine'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function spin() while true do end end
    coroutine.wrap(spin)()
  end,
}
