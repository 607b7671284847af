-- hostile: forces full collections
-- expect: error global 'collectgarbage'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    while true do collectgarbage() end
  end,
}
