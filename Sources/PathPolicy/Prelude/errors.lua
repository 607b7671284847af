-- Saying what is wrong and where, and reading durations.

-- Raises at a line of the function, for what only shows when it is done.
local function fail_in(fn, message)
  local line, file
  if type(fn) == "function" then line, file = host.line_of(fn) end
  raise_error((file or host.file) .. ":" .. (line or 1) .. ": " .. message, 0)
end

-- Raises at the line of the policy that is running, not at a line of this file. A tail call leaves
-- none; then it is the handler's first.
local function fail(message)
  local file, line = host.where()
  if file then raise_error(file .. ":" .. line .. ": " .. message, 0) end
  fail_in(handler, message)
end

-- Raises at the line that holds the first of these words that is found, for what is wrong in the
-- policy table.
local function fail_at(message, ...)
  local line
  for place = 1, select("#", ...) do
    local word = select(place, ...)
    line = line or type(word) == "string" and host.find_word(word)
  end
  raise_error(host.file .. ":" .. (line or host.find_word("return") or 1) .. ": " .. message, 0)
end

-- Raises for what cannot be written out; the message begins with the way to it.
local function fail_data(message)
  local _, _, word = find(message, "^[^:]-([%w_]+):")
  local _, _, root = find(message, "^([%w_]+)")
  fail_at(message, word, root)
end

local function distance(a, b)
  if #a > 40 or #b > 40 then return 99 end
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local cost = byte(a, i) == byte(b, j) and 0 or 1
      local best = diagonal + cost
      if row[j] + 1 < best then best = row[j] + 1 end
      if row[j - 1] + 1 < best then best = row[j - 1] + 1 end
      diagonal, row[j] = row[j], best
    end
  end
  return row[#b]
end

-- "; did you mean 'x'?" or "; it may be a, b or c".
local function hint(word, words)
  local best, least = nil, 4
  if type(word) == "string" then
    for _, candidate in ipairs(words) do
      local d = distance(word, candidate)
      if d < least and d <= #candidate / 2 then best, least = candidate, d end
    end
  end
  if best then return "; did you mean '" .. best .. "'?" end
  if #words == 0 then return "" end
  return "; it may be " .. concat(words, ", ")
end

local function keys(t)
  local list = {}
  for key in pairs(t) do list[#list + 1] = tostring(key) end
  return list
end

local function set_of(words)
  local set = {}
  for place = 1, #words do set[words[place]] = true end
  return set
end

-- At most so many bytes of a text, not ending inside a character.
local function cut(text, most)
  if #text <= most then return text end
  local last = most
  while last > most - 4 and last > 0 do
    local next = byte(text, last + 1)
    if next < 0x80 or next > 0xBF then break end
    last = last - 1
  end
  return sub(text, 1, last)
end

-- What a wrong value is, in few words.
local function shown(value)
  if type(value) == "string" then return "'" .. cut(value, 40) .. "'" end
  if type(value) == "number" or type(value) == "boolean" or value == nil then return tostring(value) end
  return "a " .. type(value)
end

-- Durations ----------------------------------------------------------------------------------------

local UNITS = { d = 86400000000000, h = 3600000000000, m = 60000000000, s = 1000000000, ms = 1000000, us = 1000 }
local durations, durations_kept = {}, 0
local alert_rules, button_rules   -- know the durations and the keys too

-- Nanoseconds of "1m30s"; nil and what is wrong otherwise.
local function read_duration(text)
  if type(text) ~= "string" then
    return nil, "a duration is a string such as \"10s\", not " .. shown(text)
  end
  local known = durations[text]
  if known then return known end
  local wrong = "'" .. cut(text, 40) .. "' is not a duration such as \"250ms\", \"10s\" or \"1m30s\""
  if #text == 0 or #text > 32 then return nil, wrong end
  local total, place, last = 0, 1, maxinteger
  while place <= #text do
    local from, to, whole, fraction, unit = find(text, "^(%d+)%.?(%d*)(%l+)", place)
    local size = unit and UNITS[unit]
    if not from or not size or size >= last or #whole > 9 or #fraction > 9 then return nil, wrong end
    local dot = find(sub(text, from, to), ".", 1, true)
    if (dot ~= nil) ~= (#fraction > 0) then return nil, wrong end
    local value = tonumber(whole)
    if value > YEAR // size then return nil, wrong .. " of at most a year" end
    total = total + value * size
    local part = size
    for digit = 1, #fraction do
      part = part // 10
      total = total + (byte(fraction, digit) - 48) * part
    end
    last, place = size, to + 1
  end
  if total > YEAR then return nil, wrong .. " of at most a year" end
  -- What is shorter than a millisecond, but not nothing, is a millisecond.
  if total < 1000000 and find(text, "[1-9]") then total = 1000000 end
  if durations_kept >= WORDS_KEPT then
    durations, durations_kept = {}, 0
    if alert_rules then alert_rules.expires = durations end
  end
  durations[text], durations_kept = total, durations_kept + 1
  return total
end
