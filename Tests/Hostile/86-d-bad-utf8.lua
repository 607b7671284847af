-- hostile: hands a command a word that is no text
-- expect: error must be UTF-8
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.exec { key = "k", command = "c", args = { "a\xFF" } }
  end,
}
