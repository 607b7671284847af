-- hostile: adds __close after the metatable was checked
-- expect: error global 'setmetatable'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local function spin() while true do end end
    local meta = {}
    local guarded = setmetatable({}, meta)
    meta.__close = spin
    local guard <close> = guarded
  end,
}
