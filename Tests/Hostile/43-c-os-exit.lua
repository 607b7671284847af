-- hostile: ends the process
-- expect: error global 'os'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    os.exit(1)
  end,
}
