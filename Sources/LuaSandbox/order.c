/* Tables in a fixed order. Lua's own differs between two runs of one program, since string hashes
 * are seeded and objects are hashed by address; ours is integers, floats, strings bytewise, false,
 * true, then objects by age. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* Fills `key` from the value at `index`; false for the marks of frozen tables and records. */
bool luasandbox_describe_key(lua_State *L, int index, sort_key *key) {
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) {
        key->rank = RANK_INTEGER;
        key->of.integer = lua_tointeger(L, index);
      } else {
        key->rank = RANK_FLOAT;
        key->of.number = lua_tonumber(L, index);
      }
      return true;
    case LUA_TSTRING:
      key->rank = RANK_STRING;
      key->of.text.bytes = lua_tolstring(L, index, &key->of.text.length);
      return true;
    case LUA_TBOOLEAN:
      key->rank = RANK_BOOLEAN;
      key->of.integer = lua_toboolean(L, index);
      return true;
    case LUA_TLIGHTUSERDATA: return false;
    default: break;
  }
  /* A C function without upvalues is no object; none of ours is handed out like that. */
  bool bare = false;
  if (lua_iscfunction(L, index)) {
    bare = lua_getupvalue(L, index, 1) == NULL;
    if (!bare) lua_pop(L, 1);
  }
  key->rank = RANK_OBJECT;
  key->of.serial = bare ? 0 : luasandbox_serial(lua_topointer(L, index));
  return true;
}

int luasandbox_compare_keys(const void *left, const void *right) {
  const sort_key *a = left, *b = right;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  switch (a->rank) {
    case RANK_INTEGER:
    case RANK_BOOLEAN: return (a->of.integer > b->of.integer) - (a->of.integer < b->of.integer);
    case RANK_FLOAT: return (a->of.number > b->of.number) - (a->of.number < b->of.number);
    case RANK_STRING: {
      size_t al = a->of.text.length, bl = b->of.text.length;
      int order = memcmp(a->of.text.bytes, b->of.text.bytes, al < bl ? al : bl);
      return order != 0 ? order : (al > bl) - (al < bl);
    }
    default: return (a->of.serial > b->of.serial) - (a->of.serial < b->of.serial);
  }
}

/* The price depends on the keys alone, not on how the table happened to hold them. */
void luasandbox_sort_keys(lua_State *L, luasandbox *box, sort_key *keys, size_t count,
                          size_t key_bytes, bool sorted) {
  int64_t rounds = 1;
  for (size_t n = count; n > 1; n /= 2) rounds++;
  luasandbox_charge(L, box, (int64_t)(count + key_bytes / BYTES_PER_FUEL) * rounds / 4);
  if (!sorted) qsort(keys, count, sizeof *keys, luasandbox_compare_keys);
}

/* Puts the keys in `snapshot` into the order of `keys`, whose ordinals say where each is now. */
static void permute(lua_State *L, int snapshot, sort_key *keys, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (keys[i].ordinal == i) continue;
    lua_rawgeti(L, snapshot, (lua_Integer)i + 1);
    size_t hole = i;
    while (keys[hole].ordinal != i) {
      size_t from = keys[hole].ordinal;
      lua_rawgeti(L, snapshot, (lua_Integer)from + 1);
      lua_rawseti(L, snapshot, (lua_Integer)hole + 1);
      keys[hole].ordinal = (uint32_t)hole;
      hole = from;
    }
    lua_rawseti(L, snapshot, (lua_Integer)hole + 1);
    keys[hole].ordinal = (uint32_t)hole;
  }
}

/* Pushes an array of the keys of the plain table at `table`, sorted. */
static void push_keys(lua_State *L, int table) {
  luasandbox *box = luasandbox_of(L);
  size_t offset = box->scratch_length, count = 0, key_bytes = 0;
  bool sorted = true;
  lua_newtable(L);
  int snapshot = lua_gettop(L);
  lua_pushnil(L);
  for (size_t seen = 1; lua_next(L, table); seen++) {
    lua_pop(L, 1);
    luasandbox_walk_key(L, box, seen);
    size_t need = offset + (count + 1) * sizeof(sort_key);
    if (!luasandbox_grow(box, &box->scratch, &box->scratch_capacity, need))
      luasandbox_raise_doom(L, LUASANDBOX_MEMORY);
    sort_key *key = (sort_key *)(void *)(box->scratch + offset) + count;
    if (!luasandbox_describe_key(L, -1, key)) continue;
    key->ordinal = (uint32_t)count;
    if (key->rank == RANK_STRING) key_bytes += key->of.text.length;
    if (count > 0 && luasandbox_compare_keys(key - 1, key) > 0) sorted = false;
    count++;
    lua_pushvalue(L, -1);
    lua_rawseti(L, snapshot, (lua_Integer)count);
  }
  sort_key *keys = (sort_key *)(void *)(box->scratch + offset);
  luasandbox_sort_keys(L, box, keys, count, key_bytes, sorted);
  if (!sorted) permute(L, snapshot, keys, count);
}

/* Upvalues: the sorted keys, how many of them have been handed out. */
static int step_pairs(lua_State *L) {
  lua_Integer position = lua_tointeger(L, lua_upvalueindex(2));
  lua_settop(L, 1);
  for (;;) {
    luasandbox_charge(L, luasandbox_of(L), 1);
    if (lua_rawgeti(L, lua_upvalueindex(1), ++position) == LUA_TNIL) return 1;
    lua_pushvalue(L, -1);
    if (lua_gettable(L, 1) != LUA_TNIL) break;   /* nil: removed since */
    lua_settop(L, 1);
  }
  lua_pushinteger(L, position);
  lua_replace(L, lua_upvalueindex(2));
  return 2;
}

int luasandbox_pairs(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  luasandbox_open_table(L, 2);
  push_keys(L, 2);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, step_pairs, 2);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* The smallest key above the given one: without a snapshot each step looks at all of them. */
int luasandbox_next(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  lua_pushvalue(L, 1);
  luasandbox_open_table(L, 3);
  sort_key after, best, key;
  bool found = false, all = lua_isnil(L, 2);
  if (!all && !luasandbox_describe_key(L, 2, &after)) return luaL_error(L, "invalid key to 'next'");
  lua_pushnil(L);               /* 4: the best key so far */
  lua_pushnil(L);
  int64_t seen = 0;
  while (lua_next(L, 3)) {
    lua_pop(L, 1);
    luasandbox_walk_key(L, box, (size_t)++seen);
    if (!luasandbox_describe_key(L, -1, &key)) continue;
    if (!all && luasandbox_compare_keys(&key, &after) <= 0) continue;
    if (found && luasandbox_compare_keys(&key, &best) >= 0) continue;
    best = key;
    found = true;
    lua_pushvalue(L, -1);
    lua_replace(L, 4);
  }
  luasandbox_charge(L, box, seen / 2 + 1);
  if (!found) return 1;
  lua_settop(L, 4);
  lua_pushvalue(L, 4);
  lua_gettable(L, 1);
  return 2;
}
