-- Made by `netvane api`; changes are lost when it is run again.
-- What policies and their tests find; use it with: luacheck --config .luacheckrc .
stds.netvane = {
  read_globals = {
    "_VERSION", "assert", "error", "ipairs", "next", "pairs", "pcall", "print", "require", "select",
    "tonumber", "tostring", "type",
    math = { fields = {
      "abs", "ceil", "floor", "fmod", "huge", "max", "maxinteger", "min", "mininteger", "modf", "pi",
      "random", "sqrt", "tointeger", "type", "ult",
    } },
    string = { fields = {
      "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse",
      "sub", "upper",
    } },
    table = { fields = {
      "concat", "insert", "move", "pack", "remove", "sort", "unpack",
    } },
    utf8 = { fields = {
      "char", "charpattern", "codepoint", "codes", "len", "offset",
    } },
  },
}
std = "netvane"
-- Handlers are handed ctx and ev, whether they look at both or not.
unused_args = false
max_line_length = false
