/* Plain data, coming in: bytes to Lua values. */
#include "wire.h"

void luasandbox_malformed(const reader *in, const char *why) {
  luasandbox_of(in->lua)->phase = PHASE_DATA;
  lua_pushfstring(in->lua, "malformed data at byte %I: %s",
                  (LUAI_UACINT)(in->next - in->start), why);
  lua_error(in->lua);
}

static void read_string(reader *in) {
  uint32_t length = read_count(in);
  lua_pushlstring(in->lua, (const char *)take(in, length), length);
}

static void read_key(reader *in) {
  uint8_t tag = *take(in, 1);
  if (tag == TAG_STRING) read_string(in);
  else if (tag == TAG_INTEGER) lua_pushinteger(in->lua, (lua_Integer)read_word(in));
  else luasandbox_malformed(in, "a key is neither an integer nor a string");
}

static void read_array(reader *in, int depth) {
  uint32_t count = read_count(in);
  if (count > left(in)) luasandbox_malformed(in, "an array is longer than the data");
  luaL_checkstack(in->lua, 6, "data is nested too deeply");
  lua_createtable(in->lua, (int)count, 0);
  for (uint32_t i = 1; i <= count; i++) {
    luasandbox_read_value(in, depth + 1);
    lua_rawseti(in->lua, -2, i);
  }
}

static void read_map(reader *in, int depth) {
  lua_State *L = in->lua;
  uint32_t count = read_count(in);
  if (count > left(in) / 6) luasandbox_malformed(in, "a map is longer than the data");
  luaL_checkstack(L, 8, "data is nested too deeply");
  lua_createtable(L, 0, (int)count);
  for (uint32_t i = 0; i < count; i++) {
    read_key(in);
    luasandbox_read_value(in, depth + 1);
    lua_rawset(L, -3);
  }
}

static void read_sized(reader *in, int depth) {
  uint32_t length = read_count(in);
  const uint8_t *end = take(in, length) + length;
  in->next = end - length;
  luasandbox_read_value(in, depth + 1);
  if (in->next != end) luasandbox_malformed(in, "a value has another length than was said");
}

static void read_record(reader *in) {
  uint32_t length = read_count(in);
  luasandbox_push_record(in->lua, take(in, length), length);
}

/* Pushes the next value. */
void luasandbox_read_value(reader *in, int depth) {
  lua_State *L = in->lua;
  if (depth > DECODE_DEPTH) luasandbox_malformed(in, "it is nested too deeply");
  uint8_t tag = *take(in, 1);
  switch (tag) {
    case TAG_NIL: lua_pushnil(L); break;
    case TAG_FALSE: lua_pushboolean(L, 0); break;
    case TAG_TRUE: lua_pushboolean(L, 1); break;
    case TAG_INTEGER: lua_pushinteger(L, (lua_Integer)read_word(in)); break;
    case TAG_FLOAT: {
      uint64_t word = read_word(in);
      lua_Number number;
      memcpy(&number, &word, sizeof number);
      lua_pushnumber(L, number);
      break;
    }
    case TAG_STRING: read_string(in); break;
    case TAG_ARRAY: read_array(in, depth); break;
    case TAG_MAP: read_map(in, depth); break;
    case TAG_SIZED: read_sized(in, depth); break;
    case TAG_RECORD: read_record(in); break;
    default: luasandbox_malformed(in, "an unknown tag"); break;
  }
}

/* Passes over the next value. */
void luasandbox_skip_value(reader *in, int depth) {
  if (depth > DECODE_DEPTH) luasandbox_malformed(in, "it is nested too deeply");
  uint8_t tag = *take(in, 1);
  switch (tag) {
    case TAG_NIL: case TAG_FALSE: case TAG_TRUE: case TAG_LINK: break;
    case TAG_INTEGER: case TAG_FLOAT: take(in, 8); break;
    case TAG_STRING: case TAG_SIZED: case TAG_RECORD: take(in, read_count(in)); break;
    case TAG_ARRAY: case TAG_MAP: {
      uint64_t values = read_count(in);
      if (tag == TAG_MAP) values *= 2;
      if (values > left(in)) luasandbox_malformed(in, "it is longer than the data");
      while (values-- > 0) luasandbox_skip_value(in, depth + 1);
      break;
    }
    default: luasandbox_malformed(in, "an unknown tag"); break;
  }
}

/* Pushes the one value that the bytes hold. */
void luasandbox_decode(lua_State *L, const uint8_t *bytes, size_t length) {
  reader in = {L, bytes, bytes, bytes + length};
  luasandbox_read_value(&in, 0);
  if (left(&in) != 0) luasandbox_malformed(&in, "something follows the value");
}

/* Pushes the values of the one array that the bytes hold; how many there were. */
int luasandbox_decode_each(lua_State *L, const uint8_t *bytes, size_t length) {
  reader in = {L, bytes, bytes, bytes + length};
  if (*take(&in, 1) != TAG_ARRAY) luasandbox_malformed(&in, "it is no list of arguments");
  uint32_t count = read_count(&in);
  if (count > 32) luasandbox_malformed(&in, "there are too many arguments");
  if (!lua_checkstack(L, (int)count + 8)) luasandbox_raise_doom(L, LUASANDBOX_MEMORY);
  for (uint32_t i = 0; i < count; i++) luasandbox_read_value(&in, 1);
  if (left(&in) != 0) luasandbox_malformed(&in, "something follows the arguments");
  return (int)count;
}
