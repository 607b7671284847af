/* Plain data, going out: Lua values to bytes, the same bytes for the same value in each process. */
#include "internal.h"
#include "tags.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One step of the way from the root to the value in hand, to name it in an error. */
typedef struct step {
  const struct step *parent;
  const char *name;             /* NULL: the step is an index */
  size_t name_length;
  lua_Integer index;
} step;

typedef struct writer {
  lua_State *lua;
  luasandbox *box;
} writer;

static void write_value(writer *out, int depth, const step *way);

static void add_step(luaL_Buffer *path, const step *way) {
  if (way->parent != NULL) add_step(path, way->parent);
  char text[40];
  if (way->name == NULL) {
    snprintf(text, sizeof text, "[%lld]", (long long)way->index);
    luaL_addstring(path, text);
    return;
  }
  if (way->name_length == 0 && way->parent == NULL) return;
  if (luaL_bufflen(path) != 0) luaL_addchar(path, '.');
  luaL_addlstring(path, way->name, way->name_length < 80 ? way->name_length : 80);
}

static void reject(const writer *out, const step *way, const char *why) {
  lua_State *L = out->lua;
  luaL_Buffer path;
  luaL_checkstack(L, 10, NULL);
  luaL_buffinit(L, &path);
  if (way != NULL) add_step(&path, way);
  if (luaL_bufflen(&path) == 0) luaL_addstring(&path, "result");
  luaL_pushresult(&path);
  lua_pushfstring(L, "%s: %s", lua_tostring(L, -1), why);
  lua_error(L);
}

static uint8_t *reserve(writer *out, size_t count, const step *way) {
  luasandbox *box = out->box;
  if (count > box->limits.result_bytes - box->output_length)
    reject(out, way, "the data is too large");
  size_t need = box->output_length + count;
  if (!luasandbox_grow(box, &box->output, &box->output_capacity, need))
    luasandbox_raise_doom(out->lua, LUASANDBOX_MEMORY);
  uint8_t *place = box->output + box->output_length;
  box->output_length = need;
  return place;
}

static void put_count(uint8_t *place, size_t count) {
  for (int i = 0; i < 4; i++) place[i] = (uint8_t)(count >> 8 * i);
}

static void write_head(writer *out, uint8_t tag, size_t count, const step *way) {
  uint8_t *place = reserve(out, 5, way);
  place[0] = tag;
  put_count(place + 1, count);
}

static void write_word(writer *out, uint8_t tag, uint64_t word, const step *way) {
  uint8_t *place = reserve(out, 9, way);
  place[0] = tag;
  for (int i = 0; i < 8; i++) place[1 + i] = (uint8_t)(word >> 8 * i);
}

static void write_bytes(writer *out, const char *bytes, size_t length, const step *way) {
  if (length > UINT32_MAX) reject(out, way, "the data is too large");
  write_head(out, TAG_STRING, length, way);
  memcpy(reserve(out, length, way), bytes, length);
}

/* Collects the keys of the table at the top into scratch memory; its offset there is returned. */
static size_t collect_keys(writer *out, const step *way, size_t *count, bool *is_array) {
  lua_State *L = out->lua;
  luasandbox *box = out->box;
  size_t offset = box->scratch_length, key_bytes = 0;
  lua_Integer highest = 0;
  bool positive = true, sorted = true;
  int table = lua_gettop(L);
  *count = 0;
  lua_pushnil(L);
  for (size_t seen = 1; lua_next(L, table); seen++) {
    lua_pop(L, 1);
    luasandbox_walk_key(L, box, seen);
    size_t need = box->scratch_length + sizeof(sort_key);
    if (!luasandbox_grow(box, &box->scratch, &box->scratch_capacity, need))
      luasandbox_raise_doom(L, LUASANDBOX_MEMORY);
    sort_key *key = (sort_key *)(void *)(box->scratch + box->scratch_length);
    if (!luasandbox_describe_key(L, -1, key)) continue;
    if (key->rank == RANK_FLOAT) reject(out, way, "a key that is a float is not plain data");
    if (key->rank != RANK_INTEGER && key->rank != RANK_STRING) {
      lua_pushfstring(L, "a key that is a %s is not plain data", luaL_typename(L, -1));
      reject(out, way, lua_tostring(L, -1));
    }
    if (key->rank == RANK_STRING) {
      key_bytes += key->of.text.length;
      positive = false;
    } else if (key->of.integer < 1) {
      positive = false;
    } else if (key->of.integer > highest) {
      highest = key->of.integer;
    }
    if (*count > 0 && luasandbox_compare_keys(key - 1, key) > 0) sorted = false;
    box->scratch_length = need;
    ++*count;
    /* Each entry is at least two bytes of output: no need to look at more of them. */
    if (*count > box->limits.result_bytes / 2) reject(out, way, "the data is too large");
  }
  *is_array = positive && *count > 0 && (uint64_t)highest == *count;
  sort_key *keys = (sort_key *)(void *)(box->scratch + offset);
  luasandbox_sort_keys(L, box, keys, *count, key_bytes, sorted);
  return offset;
}

static void write_entries(writer *out, int depth, const step *way, size_t offset, size_t count) {
  lua_State *L = out->lua;
  for (size_t i = 0; i < count; i++) {
    sort_key key;
    memcpy(&key, out->box->scratch + offset + i * sizeof key, sizeof key);
    step here = {way, NULL, 0, 0};
    if (key.rank == RANK_INTEGER) {
      here.index = key.of.integer;
      write_word(out, TAG_INTEGER, (uint64_t)key.of.integer, &here);
      lua_rawgeti(L, -1, key.of.integer);
    } else {
      here.name = key.of.text.bytes;
      here.name_length = key.of.text.length;
      write_bytes(out, here.name, here.name_length, &here);
      lua_pushlstring(L, here.name, here.name_length);
      lua_rawget(L, -2);
    }
    write_value(out, depth + 1, &here);
    lua_pop(L, 1);
  }
}

static void write_table(writer *out, int depth, const step *way) {
  lua_State *L = out->lua;
  luasandbox *box = out->box;
  if (depth >= ENCODE_DEPTH) reject(out, way, "it is nested too deeply, or contains itself");
  luasandbox_walk_table(L, box);
  luaL_checkstack(L, 8, "data is nested too deeply");
  lua_pushvalue(L, -1);
  luasandbox_open_table(L, -1);
  if (lua_getmetatable(L, -1)) reject(out, way, "a table of the host's is not plain data");
  size_t count;
  bool is_array;
  size_t offset = collect_keys(out, way, &count, &is_array);
  write_head(out, is_array ? TAG_ARRAY : TAG_MAP, count, way);
  if (is_array) {
    for (size_t i = 1; i <= count; i++) {
      step here = {way, NULL, 0, (lua_Integer)i};
      lua_rawgeti(L, -1, (lua_Integer)i);
      write_value(out, depth + 1, &here);
      lua_pop(L, 1);
    }
  } else {
    write_entries(out, depth, way, offset, count);
  }
  box->scratch_length = offset;
  lua_pop(L, 1);
}

static void write_number(writer *out, const step *way) {
  lua_State *L = out->lua;
  if (lua_isinteger(L, -1)) {
    write_word(out, TAG_INTEGER, (uint64_t)lua_tointeger(L, -1), way);
    return;
  }
  lua_Number number = lua_tonumber(L, -1);
  if (isnan(number)) reject(out, way, "not a number (nan) is not plain data");
  if (isinf(number)) reject(out, way, "an infinite number is not plain data");
  uint64_t word;
  memcpy(&word, &number, sizeof word);
  write_word(out, TAG_FLOAT, word, way);
}

static void write_value(writer *out, int depth, const step *way) {
  lua_State *L = out->lua;
  luasandbox_charge(L, out->box, 1);
  switch (lua_type(L, -1)) {
    case LUA_TNIL: *reserve(out, 1, way) = TAG_NIL; break;
    case LUA_TBOOLEAN: *reserve(out, 1, way) = lua_toboolean(L, -1) ? TAG_TRUE : TAG_FALSE; break;
    case LUA_TNUMBER: write_number(out, way); break;
    case LUA_TSTRING: {
      size_t length;
      const char *bytes = lua_tolstring(L, -1, &length);
      luasandbox_charge_bytes(L, out->box, length);
      write_bytes(out, bytes, length, way);
      break;
    }
    case LUA_TTABLE: write_table(out, depth, way); break;
    default:
      lua_pushfstring(L, "a %s is not plain data", luaL_typename(L, -1));
      reject(out, way, lua_tostring(L, -1));
  }
}

/* Writes the value at `index` after what the output has. `name` stands for it in an error text;
 * `around` is how many tables will be around it later, which leaves it so many fewer of its own. */
void luasandbox_encode_more(lua_State *L, int index, const char *name, int around) {
  writer out = {L, luasandbox_of(L)};
  step root = {NULL, name, strlen(name), 0};
  lua_pushvalue(L, index);
  write_value(&out, around, &root);
  lua_pop(L, 1);
}

/* Encodes the value at `index` into the sandbox's output. */
void luasandbox_encode(lua_State *L, int index, const char *name, int around) {
  luasandbox *box = luasandbox_of(L);
  box->output_length = 0;
  box->scratch_length = 0;   /* an error may have left an earlier attempt's keys */
  luasandbox_encode_more(L, index, name, around);
}

/* Room for bytes after what the output has. */
uint8_t *luasandbox_put(lua_State *L, size_t count) {
  writer out = {L, luasandbox_of(L)};
  return reserve(&out, count, NULL);
}
