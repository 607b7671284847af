-- hostile: tries itself again
-- expect: error ctx.exec has no
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    local call = { key = "k", command = "c" }
    call.exec = call
    call.command = nil
    ctx.retry(call)
  end,
}
