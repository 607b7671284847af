-- hostile: wraps a table in a table for ever
-- expect: memory
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local t = {}
    while true do t = { t } end
  end,
}
