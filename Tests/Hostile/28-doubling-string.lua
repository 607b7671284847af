-- hostile: doubles a string for ever
-- expect: memory
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local s = "x"
    while true do s = s .. s end
  end,
}
