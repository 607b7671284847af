-- hostile: hides a deep table among the headers
-- expect: error expected { name = value }
-- stage: handler
-- needs: api

return {
  api = 1,
  on_start = function(ctx, ev)
    local deep = {}
    for _ = 1, 10000 do deep = { deep } end
    ctx.http { key = "k", url = "https://www.example.com/", headers = { a = deep } }
  end,
}
