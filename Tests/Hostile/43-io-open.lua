-- hostile: opens a file
-- expect: error global 'io'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    io.open("/etc/passwd")
  end,
}
