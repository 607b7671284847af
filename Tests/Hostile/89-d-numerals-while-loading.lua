-- hostile: gives math.min 32,000 numerals of a megabyte while it loads
-- expect: fuel
-- stage: load

local s, t = ("0"):rep(1000000) .. "65", {}
for i = 1, 32000 do t[i] = s end
math.min(table.unpack(t))
return { api = 1 }
