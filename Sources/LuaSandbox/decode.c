/* Plain data, coming in: bytes to Lua values. Every length is checked before it is believed. */
#include "internal.h"
#include "tags.h"

#include <string.h>

typedef struct reader {
  lua_State *lua;
  const uint8_t *start, *next, *end;
} reader;

static void read_value(reader *in, int depth);

static void malformed(const reader *in, const char *why) {
  luasandbox_of(in->lua)->phase = PHASE_DATA;
  lua_pushfstring(in->lua, "malformed data at byte %I: %s",
                  (LUAI_UACINT)(in->next - in->start), why);
  lua_error(in->lua);
}

static size_t left(const reader *in) { return (size_t)(in->end - in->next); }

static const uint8_t *take(reader *in, size_t count) {
  if (left(in) < count) malformed(in, "it ends too early");
  const uint8_t *bytes = in->next;
  in->next += count;
  return bytes;
}

static uint32_t read_count(reader *in) {
  const uint8_t *b = take(in, 4);
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint64_t read_word(reader *in) {
  const uint8_t *b = take(in, 8);
  uint64_t word = 0;
  for (int i = 7; i >= 0; i--) word = word << 8 | b[i];
  return word;
}

static void read_string(reader *in) {
  uint32_t length = read_count(in);
  lua_pushlstring(in->lua, (const char *)take(in, length), length);
}

static void read_key(reader *in) {
  uint8_t tag = *take(in, 1);
  if (tag == TAG_STRING) read_string(in);
  else if (tag == TAG_INTEGER) lua_pushinteger(in->lua, (lua_Integer)read_word(in));
  else malformed(in, "a key is neither an integer nor a string");
}

static void read_array(reader *in, int depth) {
  uint32_t count = read_count(in);
  if (count > left(in)) malformed(in, "an array is longer than the data");
  luaL_checkstack(in->lua, 6, "data is nested too deeply");
  lua_createtable(in->lua, (int)count, 0);
  for (uint32_t i = 1; i <= count; i++) {
    read_value(in, depth + 1);
    lua_rawseti(in->lua, -2, i);
  }
}

/* The values of lazy keys wait, still encoded, in one string; a table just above the map has the
 * place of each in it. One string for all is cheaper than one for each, and most are never read. */
static void read_lazy(reader *in, int map, const uint8_t **first, uint32_t keys_left) {
  lua_State *L = in->lua;
  in->next++;
  uint32_t length = read_count(in);
  const uint8_t *bytes = take(in, length);
  if (*first == NULL) {
    *first = bytes;
    lua_createtable(L, 0, keys_left < 7 ? (int)keys_left + 1 : 8);
    lua_insert(L, map + 1);
  }
  lua_pushinteger(L, (lua_Integer)(bytes - *first) << 32 | length);
  lua_rawset(L, map + 1);
}

static void read_map(reader *in, int depth) {
  lua_State *L = in->lua;
  uint32_t count = read_count(in);
  if (count > left(in) / 6) malformed(in, "a map is longer than the data");
  luaL_checkstack(L, 8, "data is nested too deeply");
  lua_createtable(L, 0, (int)count);
  int map = lua_gettop(L);
  const uint8_t *first_lazy = NULL;
  for (uint32_t i = 0; i < count; i++) {
    read_key(in);
    if (left(in) > 0 && *in->next == TAG_LAZY) {
      read_lazy(in, map, &first_lazy, count - i);
    } else {
      read_value(in, depth + 1);
      lua_rawset(L, map);
    }
  }
  if (first_lazy == NULL) return;
  lua_pushlstring(L, (const char *)first_lazy, (size_t)(in->next - first_lazy));
  luasandbox_make_lazy(L, map);
}

static void read_value(reader *in, int depth) {
  lua_State *L = in->lua;
  if (depth > DECODE_DEPTH) malformed(in, "it is nested too deeply");
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
    case TAG_LAZY: malformed(in, "a lazy value outside a map"); break;
    default: malformed(in, "an unknown tag"); break;
  }
}

/* Pushes the one value that the bytes hold. */
void luasandbox_decode(lua_State *L, const uint8_t *bytes, size_t length) {
  reader in = {L, bytes, bytes, bytes + length};
  read_value(&in, 0);
  if (left(&in) != 0) malformed(&in, "something follows the value");
}
