Lua
-- hostile: is a file of bytecode
-- expect: load-error text only
-- stage: load
