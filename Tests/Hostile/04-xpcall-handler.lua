-- hostile: spins inside an error handler, where hooks are off
-- expect: error global 'xpcall'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function spin() while true do end end
    xpcall(spin, spin)
  end,
}
