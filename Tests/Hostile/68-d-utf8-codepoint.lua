-- hostile: asks for all the characters of a long text at once
-- expect: error string slice too long
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    utf8.codepoint(("x"):rep(900000), 1, -1)
  end,
}
