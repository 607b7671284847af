-- hostile: compares a long back reference at each place
-- expect: fuel
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    string.find(("a"):rep(200000), "(a*)%1b")
  end,
}
