-- hostile: names a text as its handler
-- expect: load-error on_start
-- stage: load
-- needs: api

return { api = 1, on_start = "start" }
