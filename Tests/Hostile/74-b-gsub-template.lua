-- hostile: uses a replacement of 100 KB for each character
-- expect: error resulting string too large
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    ("x"):rep(1000):gsub("x", ("y"):rep(100000))
  end,
}
