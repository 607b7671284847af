-- hostile: makes a coroutine at load, before a hook could be set for a call
-- expect: load-error global 'coroutine'
-- stage: load

local old = coroutine.create(function() while true do end end)
return { api = 1, on_start = function() coroutine.resume(old) end }
