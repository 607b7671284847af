-- hostile: compiles a string
-- expect: error global 'load'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    load("return 1")()
  end,
}
