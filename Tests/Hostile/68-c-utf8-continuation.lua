-- hostile: lets the step of utf8.codes skip a megabyte of continuation bytes
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local big = "a" .. ("\x80"):rep(900000)
    local step = utf8.codes(big)
    while true do pcall(step, big, 1) end
  end,
}
