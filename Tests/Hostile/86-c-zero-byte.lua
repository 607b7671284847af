-- hostile: hides the end of an argument behind a zero byte
-- expect: error zero byte
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.exec { key = "k", command = "c", args = { "safe\0--evil" } }
  end,
}
