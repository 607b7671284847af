-- hostile: has a migration that never ends
-- expect: fuel
-- stage: handler
-- needs: api
-- needs: store

return {
  api = 1,
  version = 2,
  state = { count = 0 },
  migrate = function(old, from)
    while true do end
  end,
}
