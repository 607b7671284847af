-- hostile: hands a command five thousand arguments
-- expect: error at most 64 entries
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    local args = {}
    for place = 1, 5000 do args[place] = "x" end
    ctx.exec { key = "k", command = "c", args = args }
  end,
}
