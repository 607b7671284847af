-- hostile: spins in a to-be-closed variable of a dead coroutine
-- expect: error global 'setmetatable'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function spin() while true do end end
    local wrapped = function()
      local guard <close> = setmetatable({}, { __close = spin })
      spin()
    end
    wrapped()
  end,
}
