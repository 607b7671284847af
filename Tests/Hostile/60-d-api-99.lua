-- hostile: asks for a version of the interface that does not exist
-- expect: load-error api
-- stage: load
-- needs: api

return { api = 99 }
