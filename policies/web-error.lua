-- Stands in for a page that cannot be shown: one error alert while there is no path, gone when it is back
-- and the page was loaded again, once. What a browser shows is not for Netvane to see, so the page seen is
-- the one that last gave this policy a good answer, kept in ctx.state, or else the first of its pages.
---@type netvane.Policy
local policy = {
  api = 1,
  description = "Shows one error while a page cannot be reached; tries again, or opens it in a browser.",
  config = {
    pages = { "https://www.example.com/" },   -- where to begin; the others are tried when it does not answer
    browser = { "chrome", "default" },        -- the first of these that is installed
    grace = "1s",                             -- how long an outage must last before people hear of it
    base = "1s", cap = "1m",                  -- the first wait between two tries, and the longest
    attempts = 4, timeout = "10s",            -- tries of each page, and how long each may take
  },
}

function policy.settle(ctx, ev)
  return ev.status == "satisfied" and "0s" or ctx.config.grace
end

-- Where a page stands in the list; of the one seen last, unless another is named.
local function place(ctx, page)
  for number, url in ipairs(ctx.config.pages) do
    if url == (page or ctx.state.seen) then return number end
  end
  return 1
end

-- `loading` says that a page is asked for, `asked` which; a retry that outlived a restart is replaced.
local function load(ctx, number)
  local config = ctx.config
  ctx.state.loading, ctx.state.asked = true, config.pages[number]
  ctx.retry { key = "page", now = true, base = config.base, cap = config.cap, attempts = config.attempts,
    http = { url = config.pages[number], timeout = config.timeout } }
end

local function show(ctx, title, body)
  if ctx.state.closed then return end
  ctx.alert.raise { key = "error", severity = "warning", title = title, body = body,
    buttons = { { id = "retry", label = "Try again" }, { id = "web", label = "View in browser" } } }
end

function policy.on_start(ctx)
  ctx.state.loading = nil
end

function policy.on_path(ctx, ev)
  if ev.changed.status then ctx.state.closed = nil end
  if ev.status ~= "satisfied" then
    -- What was asked for before the outage is not waited for; the reload comes after it.
    if ev.changed.status and ctx.state.loading then
      ctx.state.loading = nil
      ctx.cancel "page"
    end
    ctx.state.lost = true
    show(ctx, "The page cannot be reached", ev.why)
  elseif ctx.state.lost then
    ctx.state.lost = nil
    ctx.alert.resolve "error"
    -- Whoever pressed Try again has a try waiting for just this.
    if not ctx.state.loading then load(ctx, place(ctx)) end
  end
end

function policy.on_button(ctx, ev)
  if ev.button == "web" then
    ctx.open_url { key = "web", url = ctx.config.pages[place(ctx)], browser = ctx.config.browser }
  elseif not ctx.state.loading then
    load(ctx, place(ctx))
  end
end

function policy.on_result(ctx, ev)
  if ev.dropped or ev.key == "web" and (ev.ok or not ctx.alert.active "error") then return end
  if ev.key == "web" then return show(ctx, "No browser opened", ev.error) end
  if ev.ok then
    ctx.state.loading, ctx.state.seen = nil, ctx.state.asked
    if not ctx.state.lost then ctx.alert.resolve "error" end
  elseif not ctx.state.lost then
    ctx.state.loading = nil
    local next = place(ctx, ctx.state.asked) % #ctx.config.pages + 1
    if next == place(ctx) then show(ctx, "The page does not answer", ev.error) else load(ctx, next) end
  end
end

function policy.on_dismissed(ctx)
  ctx.state.closed = true
end

return policy
