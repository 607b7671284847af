/* Two kinds of table that are more than they look: lazy ones, whose values are decoded when first
 * read, and frozen ones, which stand read-only before another table. Scripts cannot make
 * metatables; both kinds are known by a mark under a light-userdata key, which they cannot name. */
#include "internal.h"

static const char mark_lazy = 0, mark_frozen = 0;
const char luasandbox_key_lazy_meta = 0, luasandbox_key_frozen_meta = 0;

/* ---- lazy ---- */

/* Map at `table`, above it the places of its waiting values, above that their bytes; pops both. */
void luasandbox_make_lazy(lua_State *L, int table) {
  lua_rawsetp(L, table + 1, &mark_lazy);
  lua_rawsetp(L, table, &mark_lazy);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_lazy_meta);
  lua_setmetatable(L, table);
}

/* Pushes the value whose place is at `index`; `waiting` is the table that had it. */
static void decode_waiting(lua_State *L, int waiting, int index) {
  lua_Unsigned place = (lua_Unsigned)lua_tointeger(L, index);
  lua_rawgetp(L, waiting, &mark_lazy);
  const char *bytes = lua_tolstring(L, -1, NULL);
  luasandbox_decode(L, (const uint8_t *)bytes + (place >> 32), place & UINT32_MAX);
  lua_remove(L, -2);
}

/* Takes the rest into `table`, if it waits: a lazy map under the empty name, whose entries belong
 * beside it. What the table has already stays. */
static bool take_rest(lua_State *L, int table, int waiting) {
  lua_pushliteral(L, "");
  if (lua_rawget(L, waiting) != LUA_TNUMBER) {
    lua_pop(L, 1);
    return false;
  }
  luaL_checkstack(L, 10, "data is nested too deeply");
  decode_waiting(L, waiting, lua_gettop(L));
  luasandbox_open_table(L, -1);
  int rest = lua_gettop(L);
  lua_pushnil(L);
  while (lua_type(L, rest) == LUA_TTABLE && lua_next(L, rest)) {
    lua_pushvalue(L, -2);
    if (lua_rawget(L, table) == LUA_TNIL) {
      lua_pop(L, 1);
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, table);
    } else {
      lua_pop(L, 2);
    }
  }
  lua_settop(L, rest - 2);
  lua_pushliteral(L, "");
  lua_pushnil(L);
  lua_rawset(L, waiting);
  return true;
}

static int lazy_index(lua_State *L) {
  lua_settop(L, 2);
  if (lua_rawgetp(L, 1, &mark_lazy) != LUA_TTABLE) return 0;
  lua_pushvalue(L, 2);
  if (lua_rawget(L, 3) != LUA_TNUMBER) {
    if (!take_rest(L, 1, 3)) return 0;
    lua_pushvalue(L, 2);
    lua_rawget(L, 1);
    return 1;
  }
  decode_waiting(L, 3, 4);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 5);
  lua_rawset(L, 1);
  lua_pushvalue(L, 2);
  lua_pushnil(L);
  lua_rawset(L, 3);
  return 1;
}

static int lazy_newindex(lua_State *L) {
  lua_settop(L, 3);
  if (!lua_isnil(L, 2) && lua_rawgetp(L, 1, &mark_lazy) == LUA_TTABLE) {
    take_rest(L, 1, 4);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, 4) != LUA_TNIL) {
      lua_pushvalue(L, 2);
      lua_pushnil(L);
      lua_rawset(L, 4);
    }
  }
  lua_settop(L, 3);
  lua_rawset(L, 1);
  return 0;
}

/* Decodes all that waits in the table at the absolute index; then it is an ordinary one. */
static void force(lua_State *L, int table) {
  if (lua_rawgetp(L, table, &mark_lazy) != LUA_TTABLE) {
    lua_pop(L, 1);
    return;
  }
  int waiting = lua_gettop(L);
  take_rest(L, table, waiting);
  lua_pushnil(L);
  while (lua_next(L, waiting)) {
    if (lua_type(L, -1) != LUA_TNUMBER) {   /* the bytes */
      lua_pop(L, 1);
      continue;
    }
    decode_waiting(L, waiting, -1);
    lua_replace(L, -2);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, table);
  }
  lua_settop(L, waiting - 1);
  lua_pushnil(L);
  lua_rawsetp(L, table, &mark_lazy);
  lua_pushnil(L);
  lua_setmetatable(L, table);
}

/* ---- frozen ---- */

bool luasandbox_is_frozen(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return false;
  lua_pop(L, 1);
  bool frozen = lua_rawgetp(L, index, &mark_frozen) == LUA_TTABLE;
  lua_pop(L, 1);
  return frozen;
}

/* Replaces a table on the stack by the plain one to read: the one behind it, nothing waiting. */
void luasandbox_open_table(lua_State *L, int index) {
  index = lua_absindex(L, index);
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return;
  lua_pop(L, 1);
  luaL_checkstack(L, 8, "too deeply nested");
  if (lua_rawgetp(L, index, &mark_frozen) == LUA_TTABLE) lua_replace(L, index);
  else lua_pop(L, 1);
  if (!lua_getmetatable(L, index)) return;
  lua_pop(L, 1);
  force(L, index);
}

/* Frozen tables, and tables whose behaviour someone else defined, stay as they are. */
static bool may_freeze(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  if (!lua_getmetatable(L, index)) return true;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_lazy_meta);
  bool lazy = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return lazy;
}

/* Replaces the value at the top by a read-only view of it. The tables inside get theirs, in place,
 * when they are first read: freezing costs the same whatever the size. */
void luasandbox_freeze(lua_State *L) {
  if (!may_freeze(L, -1)) return;
  lua_createtable(L, 0, 1);
  lua_insert(L, -2);
  lua_rawsetp(L, -2, &mark_frozen);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_frozen_meta);
  lua_setmetatable(L, -2);
}

static int frozen_index(lua_State *L) {
  lua_settop(L, 2);
  if (lua_rawgetp(L, 1, &mark_frozen) != LUA_TTABLE) return 0;
  lua_pushvalue(L, 2);
  lua_gettable(L, 3);
  if (!may_freeze(L, 4)) return 1;
  luasandbox_freeze(L);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 4);
  lua_rawset(L, 3);
  return 1;
}

static int frozen_newindex(lua_State *L) {
  if (lua_type(L, 2) == LUA_TSTRING && lua_rawlen(L, 2) < 100)
    return luaL_error(L, "attempt to change a read-only table (field '%s')", lua_tostring(L, 2));
  return luaL_error(L, "attempt to change a read-only table");
}

static int frozen_len(lua_State *L) {
  lua_settop(L, 1);
  luasandbox_open_table(L, 1);
  lua_pushinteger(L, (lua_Integer)lua_rawlen(L, 1));
  return 1;
}

static int library_newindex(lua_State *L) {
  return luaL_error(L, "the table '%s' is read-only", lua_tostring(L, lua_upvalueindex(1)));
}

static void set_protected(lua_State *L) {
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
}

/* Replaces the library table at the top by a read-only view that names it when written to. */
void luasandbox_push_library(lua_State *L, const char *name) {
  lua_createtable(L, 0, 1);
  lua_createtable(L, 0, 4);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, name);
  lua_pushcclosure(L, library_newindex, 1);
  lua_setfield(L, -2, "__newindex");
  lua_pushcfunction(L, frozen_len);
  lua_setfield(L, -2, "__len");
  set_protected(L);
  lua_setmetatable(L, -2);
  lua_insert(L, -2);
  lua_rawsetp(L, -2, &mark_frozen);
}

void luasandbox_install_metatables(lua_State *L) {
  lua_createtable(L, 0, 4);
  lua_pushcfunction(L, lazy_index);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, lazy_newindex);
  lua_setfield(L, -2, "__newindex");
  set_protected(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_lazy_meta);
  lua_createtable(L, 0, 4);
  lua_pushcfunction(L, frozen_index);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, frozen_newindex);
  lua_setfield(L, -2, "__newindex");
  lua_pushcfunction(L, frozen_len);
  lua_setfield(L, -2, "__len");
  set_protected(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_frozen_meta);
}

/* ---- thaw ---- */

static void thaw_value(lua_State *L, int depth) {
  if (lua_type(L, -1) != LUA_TTABLE) return;
  if (depth >= DECODE_DEPTH)
    luaL_error(L, "cannot thaw a table that is nested too deeply or contains itself");
  luaL_checkstack(L, 10, "too deeply nested");
  luasandbox_open_table(L, -1);
  int source = lua_gettop(L);
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, source)) {
    luasandbox_charge(L, luasandbox_of(L), 1);
    thaw_value(L, depth + 1);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, source + 1);
  }
  lua_replace(L, source);
}

/* Replaces the value at the top by a copy that shares no table with it. */
void luasandbox_thaw(lua_State *L) { thaw_value(L, 0); }
