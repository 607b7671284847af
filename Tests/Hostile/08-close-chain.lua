-- hostile: closes 200,000 coroutines inside one another
-- expect: error global 'coroutine'
-- stage: handler

return {
  api = 1,
  on_start = function(ctx, ev)
    local last
    for _ = 1, 200000 do
      local inner = last
      last = coroutine.create(function() if inner then coroutine.close(inner) end end)
    end
  end,
}
