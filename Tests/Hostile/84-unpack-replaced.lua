-- hostile: takes the library away that the clock on the wall was read with
-- expect: ok
-- stage: handler
-- needs: api

table = { unpack = function(t) t[1] = "mine" return error("mine") end }
string, math, tostring, type, pairs, select = nil, nil, nil, nil, nil, nil

return {
  api = 1,
  on_start = function(ctx, ev)
    assert(#ctx.time.date == 10 and ctx.time.hour >= 0)
    table = nil
    ctx.log(ctx.time.zone, ev.reason, ctx.alert.active("x"))
  end,
}
