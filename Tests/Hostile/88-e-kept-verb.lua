-- hostile: acts where it may only say how long
-- expect: error settle only says
-- stage: handler
-- needs: api

local exec
return {
  api = 1,
  on_start = function(ctx) exec = ctx.exec end,
  settle = function()
    exec { key = "k", command = "c" }
    return "1s"
  end,
}
