-- hostile: hands a command megabytes
-- expect: error 32 KiB together
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    local args, word = {}, ("x"):rep(30000)
    for place = 1, 64 do args[place] = word end
    ctx.exec { key = "k", command = "c", args = args }
  end,
}
