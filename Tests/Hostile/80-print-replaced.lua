-- hostile: replaces a global function of its own environment
-- expect: ok
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    print = function() end
    pairs = nil
    print("quiet")
  end,
}
