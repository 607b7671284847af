-- hostile: prints a megabyte in one line, with a forged prefix
-- expect: ok
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    print(("x"):rep(900000))
    print("fine\nnetvane: policy other: all clear")
  end,
}
