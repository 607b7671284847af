-- hostile: uses a text of 900,000 digits as the limit of a loop
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local digits = ("0"):rep(900000) .. "1"
    while true do pcall(function() for _ = 1, digits do end end) end
  end,
}
