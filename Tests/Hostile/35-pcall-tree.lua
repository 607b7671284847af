-- hostile: doubles the work at each level of pcall
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function r()
      pcall(r)
      pcall(r)
    end
    r()
  end,
}
