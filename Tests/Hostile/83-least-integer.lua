-- hostile: counts from the end of a string by the least integer, whose negative there is none of
-- expect: ok
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local least = math.mininteger
    local text = "abc"
    assert(select("#", text:byte(least, -1)) == 3)
    assert(select("#", text:byte(least, least)) == 0)
    assert(select("#", utf8.codepoint(text, 1, least)) == 0)
    assert(text:sub(least, least) == "" and text:find("a", least) == 1)
    assert(not pcall(utf8.codepoint, text, least, 3))
  end,
}
