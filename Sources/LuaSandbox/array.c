/* The table library. Each element costs fuel: with keys 1-5, 8, 9, 16, 32, … the length of a
 * table can be 2^62, and Lua's own functions would visit all of it. */
#include "internal.h"

#include <string.h>

static lua_Integer length_of(lua_State *L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  return luaL_len(L, index);
}

/* A table that is going to be written to. */
static lua_Integer writable(lua_State *L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  if (luasandbox_is_frozen(L, index)) luaL_error(L, "attempt to change a read-only table");
  luasandbox_open_table(L, index);
  return luaL_len(L, index);
}

static int array_insert(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  int arguments = lua_gettop(L);
  lua_Integer end = (lua_Integer)((lua_Unsigned)writable(L, 1) + 1), position = end;
  luasandbox_charge(L, box, 1);
  if (arguments == 3) {
    luasandbox_charge_numeral(L, 2);
    position = luaL_checkinteger(L, 2);
    luaL_argcheck(L, (lua_Unsigned)position - 1u < (lua_Unsigned)end, 2, "position out of bounds");
    for (lua_Integer i = end; i > position; i--) {
      luasandbox_charge(L, box, 1);
      lua_geti(L, 1, i - 1);
      lua_seti(L, 1, i);
    }
  } else if (arguments != 2) {
    return luaL_error(L, "wrong number of arguments to 'insert'");
  }
  lua_seti(L, 1, position);
  return 0;
}

static int array_remove(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  lua_Integer size = writable(L, 1), position = luaL_optinteger(L, 2, size);
  luasandbox_charge(L, box, 1);
  if (position != size)
    luaL_argcheck(L, (lua_Unsigned)position - 1u <= (lua_Unsigned)size, 2,
                  "position out of bounds");
  lua_settop(L, 1);
  lua_geti(L, 1, position);
  for (; position < size; position++) {
    luasandbox_charge(L, box, 1);
    lua_geti(L, 1, position + 1);
    lua_seti(L, 1, position);
  }
  lua_pushnil(L);
  lua_seti(L, 1, position);
  return 1;
}

static int array_move(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
  lua_Integer to = luaL_checkinteger(L, 4);
  int target = lua_isnoneornil(L, 5) ? 1 : 5;
  luaL_checktype(L, 1, LUA_TTABLE);
  writable(L, target);
  if (last >= first) {
    luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    lua_Integer count = last - first + 1;
    luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    bool forward = to > last || to <= first || target != 1;
    for (lua_Integer n = 0; n < count; n++) {
      lua_Integer i = forward ? n : count - 1 - n;
      luasandbox_charge(L, box, 1);
      lua_geti(L, 1, first + i);
      lua_seti(L, target, to + i);
    }
  }
  lua_pushvalue(L, target);
  return 1;
}

static int array_unpack(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  lua_Integer first = luaL_optinteger(L, 2, 1);
  lua_Integer last = lua_isnoneornil(L, 3) ? luaL_len(L, 1) : luaL_checkinteger(L, 3);
  if (first > last) return 0;
  lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first;
  /* The stack doubles, within the largest block, with 16 bytes a slot. */
  if (count >= box->limits.block_bytes / 32 || !lua_checkstack(L, (int)++count))
    return luaL_error(L, "too many results to unpack");
  luasandbox_charge(L, box, (int64_t)count);
  for (lua_Unsigned i = 0; i < count; i++) lua_geti(L, 1, first + (lua_Integer)i);
  return (int)count;
}

static int array_pack(lua_State *L) {
  int count = lua_gettop(L);
  luasandbox_charge(L, luasandbox_of(L), count + 1);
  lua_createtable(L, count, 1);
  lua_insert(L, 1);
  for (int i = count; i >= 1; i--) lua_rawseti(L, 1, i);
  lua_pushinteger(L, count);
  lua_setfield(L, 1, "n");
  return 1;
}

static int array_concat(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  lua_Integer size = length_of(L, 1);
  size_t gap;
  const char *separator = luaL_optlstring(L, 2, "", &gap);
  lua_Integer first = luaL_optinteger(L, 3, 1), last = luaL_optinteger(L, 4, size);
  text_buffer out;
  luasandbox_buffer_start(&out, L);
  for (lua_Integer i = first; i <= last; i++) {
    size_t length;
    lua_geti(L, 1, i);
    if (!lua_isstring(L, -1))
      return luaL_error(L, "invalid value (at index %I) in table for 'concat'", (LUAI_UACINT)i);
    const char *bytes = lua_tolstring(L, -1, &length);
    luasandbox_charge_bytes(L, box, length + gap);
    luasandbox_buffer_add(&out, bytes, length);
    lua_settop(L, out.slot);
    if (i == last) break;       /* before i + 1 could overflow */
    luasandbox_buffer_add(&out, separator, gap);
  }
  luasandbox_buffer_push(&out);
  return 1;
}

/* ---- sort: a merge sort of a copy. Stable, never more than n log n comparisons, and neither the
 * clock nor a comparator that contradicts itself can make it do anything else. ---- */

enum { SORT_TABLE = 1, SORT_ORDER = 2, SORT_FROM = 3, SORT_TO = 4 };

static void charge_comparison(lua_State *L, luasandbox *box) {
  int64_t cost = 1;
  if (lua_type(L, -1) == LUA_TSTRING && lua_type(L, -2) == LUA_TSTRING) {
    size_t a = lua_rawlen(L, -1), b = lua_rawlen(L, -2);
    cost += (int64_t)((a < b ? a : b) / BYTES_PER_FUEL);
  }
  luasandbox_charge(L, box, cost);
}

/* Bytewise, as Lua orders texts where no locale is set; its own comparison takes a hundred times as
 * long for texts full of NULs. */
static bool is_text_before(lua_State *L) {
  size_t a, b;
  const char *first = lua_tolstring(L, -1, &a), *second = lua_tolstring(L, -2, &b);
  int order = memcmp(first, second, a < b ? a : b);
  return order != 0 ? order < 0 : a < b;
}

/* Whether the value at the top belongs before the one below it; both stay. */
static bool belongs_before(lua_State *L, luasandbox *box, bool ordered) {
  charge_comparison(L, box);
  if (!ordered) {
    bool texts = lua_type(L, -1) == LUA_TSTRING && lua_type(L, -2) == LUA_TSTRING;
    return texts ? is_text_before(L) : lua_compare(L, -1, -2, LUA_OPLT);
  }
  lua_pushvalue(L, SORT_ORDER);
  lua_pushvalue(L, -2);
  lua_pushvalue(L, -4);
  lua_call(L, 2, 1);
  bool before = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return before;
}

/* Merges from[low, middle) and from[middle, high) into `to`. */
static void merge(lua_State *L, luasandbox *box, bool ordered, int from, int to, lua_Integer low,
                  lua_Integer middle, lua_Integer high) {
  lua_Integer left = low, right = middle;
  for (lua_Integer i = low; i < high; i++) {
    bool take_right = left >= middle;
    if (left < middle && right < high) {
      lua_rawgeti(L, from, left);
      lua_rawgeti(L, from, right);
      take_right = belongs_before(L, box, ordered);
      lua_pop(L, 2);
    } else {
      luasandbox_charge(L, box, 1);
    }
    lua_rawgeti(L, from, take_right ? right++ : left++);
    lua_rawseti(L, to, i);
  }
}

static int array_sort(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  lua_Integer size = writable(L, SORT_TABLE);
  bool ordered = !lua_isnoneornil(L, SORT_ORDER);
  if (ordered) luaL_checktype(L, SORT_ORDER, LUA_TFUNCTION);
  lua_settop(L, 2);
  if (size < 2) return 0;
  luaL_argcheck(L, size <= (lua_Integer)(box->limits.block_bytes / 16), 1, "array too big");
  luaL_checkstack(L, 12, NULL);
  lua_createtable(L, (int)size, 0);
  lua_createtable(L, (int)size, 0);
  for (lua_Integer i = 1; i <= size; i++) {
    luasandbox_charge(L, box, 1);
    lua_geti(L, SORT_TABLE, i);
    lua_rawseti(L, SORT_FROM, i);
  }
  lua_rawgeti(L, SORT_FROM, 1);
  lua_rawgeti(L, SORT_FROM, 1);
  if (ordered && belongs_before(L, box, true))   /* the usual mistake: <= for < */
    return luaL_error(L, "invalid order function for sorting");
  lua_settop(L, SORT_TO);
  int from = SORT_FROM, to = SORT_TO;
  for (lua_Integer width = 1; width < size; width *= 2) {
    for (lua_Integer low = 1; low <= size; low += 2 * width) {
      lua_Integer middle = low + width, high = low + 2 * width;
      merge(L, box, ordered, from, to, low, middle < size + 1 ? middle : size + 1,
            high < size + 1 ? high : size + 1);
    }
    int other = from;
    from = to;
    to = other;
  }
  for (lua_Integer i = 1; i <= size; i++) {
    lua_rawgeti(L, from, i);
    lua_seti(L, SORT_TABLE, i);
  }
  return 0;
}

const sandbox_function luasandbox_array_functions[] = {
  {"pack", array_pack, 0},
  {"concat", array_concat, READS(3) | READS(4)},
  {"sort", array_sort, 0},
  {"insert", array_insert, 0},
  {"remove", array_remove, READS(2)},
  {"move", array_move, READS(2) | READS(3) | READS(4)},
  {"unpack", array_unpack, READS(2) | READS(3)},
  {NULL, NULL, 0},
};
