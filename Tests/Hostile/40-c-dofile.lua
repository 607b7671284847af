-- hostile: runs a file
-- expect: error global 'dofile'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    dofile("/etc/passwd")
  end,
}
