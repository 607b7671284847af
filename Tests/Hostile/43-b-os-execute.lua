-- hostile: runs a command
-- expect: error global 'os'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    os.execute("true")
  end,
}
