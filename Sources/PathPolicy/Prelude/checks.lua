-- Checks of what a policy writes: each returns the value as it goes out, or nil and what is wrong.

local function check_string(value, most, what)
  if type(value) ~= "string" then return nil, "expected " .. what .. ", not " .. shown(value) end
  if #value == 0 then return nil, what .. " must not be empty" end
  if #value > most then return nil, what .. " may have " .. most .. " bytes, not " .. #value end
  return value
end

local function check_word(value, words, what)
  for _, word in ipairs(words) do
    if value == word then return value end
  end
  return nil, shown(value) .. " is no " .. what .. hint(value, words)
end

local function check_list(value, item)
  if type(value) ~= "table" then value = { value } end
  local list = {}
  for key, entry in pairs(value) do
    if type(key) ~= "number" then return nil, "expected a list, found the key " .. shown(key) end
    if #list == MOST.entries then return nil, "at most " .. MOST.entries .. " entries are allowed" end
    local good, wrong = item(entry)
    if good == nil then return nil, wrong end
    list[#list + 1] = good
  end
  return list
end

-- Of alerts that Netvane itself raises; no policy's alert or action has one of them.
OWN_KEYS = set_of(OWN_KEYS)

-- What Netvane looks things up by. Other bytes would be repaired on their way, and not be found again.
local good_keys, keys_kept = {}, 0

local function check_key(value, what)
  if good_keys[value] then return value end
  local good, wrong = check_string(value, KEY_MAX, what)
  if not good then return nil, wrong end
  if not utf8_len(good) then return nil, what .. " must be UTF-8" end
  if keys_kept >= WORDS_KEPT then
    good_keys, keys_kept = {}, 0
    if alert_rules then
      alert_rules.key, alert_rules.channel, button_rules.id = good_keys, good_keys, good_keys
    end
  end
  if not OWN_KEYS[good] then good_keys[good], keys_kept = true, keys_kept + 1 end
  return good
end

local function check_name(value) return check_key(value, "a name") end

local check_table

-- What an alert is made of in most cases; whatever else there is, is checked entry by entry.
alert_rules = {
  key = good_keys, title = TITLE_MAX, body = -TEXT_MAX, expires = durations, channel = good_keys,
  severity = set_of(SEVERITIES), buttons = true,
}
button_rules = { id = good_keys, label = TITLE_MAX }

local CHECKS = {
  ["interface type"] = function(value) return check_word(value, TYPES, "interface type") end,
  ["list of interface types"] = function(value)
    return check_list(value, function(v) return check_word(v, TYPES, "interface type") end)
  end,
  ["list of names"] = function(value) return check_list(value, check_name) end,
  name = check_name,
  key = function(value)
    if OWN_KEYS[value] then return nil, "the key '" .. value .. "' is Netvane's own; take another" end
    return check_key(value, "a key")
  end,
  -- Text for people may come from outside: it is cut, not refused.
  title = function(value)
    if type(value) == "number" then value = tostring(value) end
    return check_string(type(value) == "string" and cut(value, TITLE_MAX) or value, TITLE_MAX, "a text")
  end,
  text = function(value)
    if type(value) == "number" then value = tostring(value) end
    if type(value) ~= "string" then return nil, "expected a text, not " .. shown(value) end
    return cut(value, TEXT_MAX)
  end,
  severity = function(value) return check_word(value, SEVERITIES, "severity") end,
  duration = read_duration,
  delay = function(value)
    local time, wrong = read_duration(value)
    if time == 0 then return nil, "the duration must be longer than nothing" end
    return time, wrong
  end,
  settle = function(value)
    if type(value) == "function" then return value end
    local time, wrong = read_duration(value)
    if not time then return nil, wrong .. ", or a function(ctx, ev) that returns one" end
    if time > MOST.settle then return nil, "a settle of more than a day is never useful" end
    return time
  end,
  version = function(value)
    local whole = type(value) == "number" and tointeger(value)
    if not whole or whole < 1 then return nil, "expected a whole number from 1 on, not " .. shown(value) end
    return whole
  end,
  status = function(value) return check_word(value, STATUSES, "status") end,
  method = function(value) return check_word(value, METHODS, "method") end,
  during = function(value)
    if value == "always" then return value end
    local names = keys(monitors)
    names[#names + 1] = "always"
    return check_word(value, names, "monitor of this policy, nor 'always'")
  end,
  url = function(value) return check_string(value, MOST.url, "a URL") end,
  body = function(value)
    if type(value) ~= "string" then return nil, "expected a text, not " .. shown(value) end
    if #value > MOST.body then return nil, "a body may have 64 KiB, not " .. #value .. " bytes" end
    if not utf8_len(value) then return nil, "a body must be UTF-8" end
    return value
  end,
  ["status code"] = function(value)
    local code = type(value) == "number" and tointeger(value)
    if not code or code < 100 or code > 599 then
      return nil, "expected a number from 100 to 599, not " .. shown(value)
    end
    return code
  end,
  -- Never cut: a part that is found would not be what was looked for.
  ["expected text"] = function(value)
    if type(value) == "number" then value = tostring(value) end
    local good, wrong = check_string(value, MOST.expected, "a text")
    if good and not utf8_len(good) then return nil, "a text must be UTF-8" end
    return good, wrong
  end,
  expectation = function(value)
    if type(value) ~= "table" then value = { status = value } end
    return check_table(value, API.expectation, "what is expected")
  end,
  ["list of arguments"] = function(value)
    local bytes = 0
    return check_list(value, function(v)
      if type(v) == "number" then v = tostring(v) end
      if type(v) ~= "string" then return nil, "expected a text, not " .. shown(v) end
      -- Other bytes would be repaired on their way, and the command would get another word.
      if not utf8_len(v) then return nil, "an argument must be UTF-8" end
      if find(v, "\0", 1, true) then return nil, "an argument cannot hold a zero byte" end
      bytes = bytes + #v
      if bytes > MOST.arguments then return nil, "the arguments may have 32 KiB together" end
      return v
    end)
  end,
  headers = function(value)
    if type(value) ~= "table" then return nil, "expected { name = value }, not " .. shown(value) end
    local list = {}
    for name, text in pairs(value) do
      if type(name) ~= "string" or type(text) ~= "string" then
        return nil, "expected { name = value } of texts, found " .. shown(name) .. " = " .. shown(text)
      end
      if not utf8_len(name) or not utf8_len(text) then return nil, "a header must be UTF-8" end
      list[#list + 1] = { name, text }
    end
    if #list > MOST.headers then return nil, "at most " .. MOST.headers .. " headers are allowed" end
    return list
  end,
  -- "3/1h": so many in any such stretch of time.
  limit = function(value)
    local text = type(value) == "string" and value or ""
    local _, _, count, per = find(text, "^(%d+)/(.+)$")
    local time = per and read_duration(per)
    if not time or time == 0 or #count > 4 or tonumber(count) < 1 or tonumber(count) > 1000 then
      return nil, "expected a limit such as \"3/1h\", not " .. shown(value)
    end
    return { count = tonumber(count), per = time }
  end,
  monitor = function(value) return check_word(value, keys(monitors), "monitor of this policy") end,
  buttons = function(value)
    if type(value) ~= "table" then return nil, "expected a list of buttons, not " .. shown(value) end
    local list, seen = {}, {}
    for key, entry in pairs(value) do
      if type(key) ~= "number" then return nil, "expected a list of buttons, found the key " .. shown(key) end
      local button, wrong = check_table(entry, API.button, "a button")
      if not button then return nil, wrong end
      if seen[button.id] then return nil, "two buttons have the id '" .. button.id .. "'" end
      seen[button.id] = true
      list[#list + 1] = { button.id, button.label }
    end
    if #list > MOST.buttons then return nil, "at most " .. MOST.buttons .. " buttons are allowed" end
    return list
  end,
}

-- An entry as it goes out; nil and what is wrong otherwise.
local function check_entry(key, entry, spec, what)
  local rule = spec[key]
  if not rule then
    return nil, what .. " has no '" .. cut(tostring(key), 40) .. "'" .. hint(key, keys(spec))
  end
  local check = CHECKS[rule.type]
  if check then
    local result, wrong = check(entry)
    if result == nil then return nil, "'" .. key .. "': " .. wrong end
    return result
  end
  if type(entry) ~= rule.type then
    return nil, "'" .. key .. "': expected a " .. rule.type .. ", not " .. shown(entry)
  end
  return entry
end

-- A copy of `value` with each entry as its check returns it; nil, what is wrong and the key otherwise.
-- Entries are tried in no order first, since what is right needs none; what is wrong is then looked for
-- in order, so that the same mistake is named each time.
function check_table(value, spec, what)
  if type(value) ~= "table" then return nil, what .. " is a table { … }, not " .. shown(value) end
  local good, is_good = {}, getmetatable(value) == nil
  if is_good then
    local entries = 0
    for key, entry in next_entry, value do
      entries = entries + 1
      local result
      if spec[key] then result = check_entry(key, entry, spec, what) end
      if result == nil then is_good = false else good[key] = result end
      if entries > ENTRIES_TRIED then break end
    end
  end
  if not is_good then
    for key, entry in pairs(value) do
      local result, wrong = check_entry(key, entry, spec, what)
      if result == nil then return nil, wrong, key end
      good[key] = result
    end
  end
  for _, key in ipairs(REQUIRED[spec]) do
    if value[key] == nil then return nil, what .. " needs '" .. key .. "'", key end
  end
  return good
end
