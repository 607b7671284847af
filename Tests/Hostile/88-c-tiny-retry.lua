-- hostile: tries again as often as it can
-- expect: ok
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    for place = 1, 64 do
      ctx.retry {
        key = "k" .. place, exec = { command = "c", timeout = "1us" }, base = "1us", cap = "1us",
        attempts = 9007199254740992, during = "always", now = true,
      }
    end
  end,
}
