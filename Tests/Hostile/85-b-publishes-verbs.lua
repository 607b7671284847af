-- hostile: publishes a table of the host's
-- expect: error a table of the host's is not plain data
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    ctx.publish("verbs", { ctx.alert })
  end,
}
