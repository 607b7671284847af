-- hostile: raises a text of 900 KB
-- expect: error xxxxxxxxxx
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    error(("x"):rep(900000), 0)
  end,
}
