-- hostile: misspells a handler
-- expect: load-error on_path
-- stage: load
-- needs: api

return { api = 1, on_paht = function() end }
