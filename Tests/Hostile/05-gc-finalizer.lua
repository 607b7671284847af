-- hostile: spins in a finalizer
-- expect: error global 'setmetatable'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function spin() while true do end end
    setmetatable({}, { __gc = spin })
  end,
}
