-- hostile: asks for the address of a table
-- expect: ok
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    assert(tostring({}) == "table")
    assert(tostring(print) == "function")
    assert(string.format("%s %s", {}, print) == "table function")
  end,
}
