-- hostile: repeats an empty string as often as there are integers
-- expect: ok
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    assert((""):rep(math.maxinteger, "") == "")
    assert((""):rep(math.maxinteger) == "")
  end,
}
