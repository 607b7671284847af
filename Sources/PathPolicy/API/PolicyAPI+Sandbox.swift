/// What a script finds besides `ctx` and `ev`: the parts of Lua's library that are left.
extension PolicyAPI {
  package static let globals = [
    "_VERSION", "assert", "error", "ipairs", "next", "pairs", "pcall", "print", "require", "select",
    "tonumber", "tostring", "type",
  ]

  package static let libraries: [(name: String, members: [String])] = [
    (
      "math",
      [
        "abs", "ceil", "floor", "fmod", "huge", "max", "maxinteger", "min", "mininteger", "modf",
        "pi", "random", "sqrt", "tointeger", "type", "ult",
      ]
    ),
    (
      "string",
      [
        "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep",
        "reverse", "sub", "upper",
      ]
    ),
    ("table", ["concat", "insert", "move", "pack", "remove", "sort", "unpack"]),
    ("utf8", ["char", "charpattern", "codepoint", "codes", "len", "offset"]),
  ]
}
