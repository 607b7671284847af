-- hostile: has a migration that fails
-- expect: load-error will not
-- stage: handler
-- needs: api
-- needs: store

return {
  api = 1,
  version = 2,
  state = { count = 0 },
  migrate = function(old, from)
    error("will not")
  end,
}
