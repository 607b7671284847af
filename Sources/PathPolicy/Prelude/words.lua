-- The policy API, version 1. Runs inside each policy's state before the policy does, is handed the
-- sandbox's host functions, and returns the functions that Netvane calls.
--
-- A handler's decisions are collected by the sandbox and go out together when it returns.
--
-- The prelude is one chunk: MOST, API, FIELDS and the lists of words, which are made from the table of
-- the API in PolicyAPI.swift, then six files in this order: words, errors, checks, loading, verbs, calling.
local host = ...
local env = host.env
local type, pairs, ipairs, tostring, select = env.type, env.pairs, env.ipairs, env.tostring, env.select
local tonumber, pcall = env.tonumber, env.pcall
local tointeger, maxinteger = env.math.tointeger, env.math.maxinteger
local utf8_len = env.utf8.len
local find, sub, byte = env.string.find, env.string.sub, env.string.byte
local concat, unpack, sort = env.table.concat, env.table.unpack, env.table.sort
local setmetatable, getmetatable = host.setmetatable, host.getmetatable
local next_entry, raise_error = host.next, env.error
local decide_now, fits = host.decide, host.fits

local KEY_MAX, TEXT_MAX, TITLE_MAX = MOST.key, MOST.text, MOST.title
local LOGS_PER_HANDLER = MOST.logs
local WORDS_KEPT = 256         -- durations and keys that were read before
local STATE_MAX = MOST.state
local ENTRIES_TRIED = 64       -- more than any table of the API has
local AROUND_STATE, AROUND_VALUE = 1, 3   -- tables around them in what goes out
local RETRY_BASE = 1000000000
local YEAR = 366 * 86400 * 1000000000

-- The keys that each table of the API must have, in order.
local REQUIRED = {}
for _, spec in next_entry, API do
  local list = {}
  for key, rule in next_entry, spec do
    if rule.required then list[#list + 1] = key end
  end
  if #list > 1 then sort(list) end
  REQUIRED[spec] = list
end

local policy, monitors, state_bytes
-- The last event that each monitor delivered; Netvane sends along what this state has not seen.
local known = {}
-- Alerts that are up and timers that run, by key and name; Netvane sends them when they change otherwise.
local alerts, timers, pending = {}, {}, {}
-- The call that is running: its handler's name and function, its event and of which monitor that
-- is, its clock on the wall.
local ctx, handler_name, handler, event, event_monitor, wall_time, logs
-- Whether it may decide something.
local acting = false

-- What `ctx` has; each call gets a table of its own that stands before this one.
local members = {}
