-- hostile: opens a page at each event
-- expect: ok
-- stage: handler
-- needs: api

local function open(ctx) ctx.open_url { key = "web", url = "https://www.example.com/" } end
return { api = 1, on_start = open, on_path = open, on_timer = open, every = { tick = "1s" } }
