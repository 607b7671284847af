-- hostile: returns a function
-- expect: load-error table
-- stage: load
-- needs: api

return function() end
