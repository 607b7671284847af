-- hostile: reads a file as a program
-- expect: error global 'loadfile'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    loadfile("/etc/passwd")
  end,
}
