-- hostile: returns nothing
-- expect: load-error table
-- stage: load
-- needs: api

local nothing
