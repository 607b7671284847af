-- hostile: returns a table with 10,000 unknown keys
-- expect: load-error a policy has no
-- stage: load
-- needs: api

local t = { api = 1 }
for i = 1, 10000 do t["key" .. i] = i end
return t
