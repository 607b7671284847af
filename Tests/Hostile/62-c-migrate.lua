-- hostile: has a migration that returns a function
-- expect: load-error plain data
-- stage: handler
-- needs: api
-- needs: store

return {
  api = 1,
  version = 2,
  state = { count = 0 },
  migrate = function(old, from)
    return print
  end,
}
