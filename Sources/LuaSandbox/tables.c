/* Frozen tables stand read-only before another table, or before a record: a map that stays encoded.
 * Scripts cannot make metatables; both are known by a mark under a light-userdata key, which they
 * cannot name. */
#include "internal.h"

const char luasandbox_mark_frozen = 0, luasandbox_key_frozen_meta = 0;

bool luasandbox_is_frozen(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return false;
  lua_pop(L, 1);
  int behind = lua_rawgetp(L, index, &luasandbox_mark_frozen);
  lua_pop(L, 1);
  return behind == LUA_TTABLE || behind == LUA_TSTRING;
}

/* Replaces a table on the stack by the plain one to read, if another stands before it. */
void luasandbox_open_table(lua_State *L, int index) {
  index = lua_absindex(L, index);
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return;
  lua_pop(L, 1);
  luaL_checkstack(L, 8, "too deeply nested");
  int behind = lua_rawgetp(L, index, &luasandbox_mark_frozen);
  if (behind == LUA_TTABLE) {
    lua_replace(L, index);
    return;
  }
  lua_pop(L, 1);
  if (behind == LUA_TSTRING) luasandbox_open_record(L, index);
}

/* Frozen tables, and tables whose behaviour someone else defined, stay as they are. */
static bool may_freeze(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  if (!lua_getmetatable(L, index)) return true;
  lua_pop(L, 1);
  return false;
}

/* Replaces the value at the top by a read-only view of it. The tables inside get theirs, in place,
 * when they are first read: freezing costs the same whatever the size. */
void luasandbox_freeze(lua_State *L) {
  if (!may_freeze(L, -1)) return;
  lua_createtable(L, 0, 1);
  lua_insert(L, -2);
  lua_rawsetp(L, -2, &luasandbox_mark_frozen);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_frozen_meta);
  lua_setmetatable(L, -2);
}

static int frozen_index(lua_State *L) {
  lua_settop(L, 2);
  if (lua_rawgetp(L, 1, &luasandbox_mark_frozen) != LUA_TTABLE) return 0;
  lua_pushvalue(L, 2);
  lua_gettable(L, 3);
  if (!may_freeze(L, 4)) return 1;
  luasandbox_freeze(L);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 4);
  lua_rawset(L, 3);
  return 1;
}

int luasandbox_refuse_write(lua_State *L) {
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
  lua_rawsetp(L, -2, &luasandbox_mark_frozen);
}

static void install_frozen(lua_State *L, lua_CFunction index, lua_CFunction newindex,
                           const char *key) {
  lua_createtable(L, 0, 4);
  lua_pushcfunction(L, index);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, newindex);
  lua_setfield(L, -2, "__newindex");
  lua_pushcfunction(L, frozen_len);
  lua_setfield(L, -2, "__len");
  set_protected(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void luasandbox_install_metatables(lua_State *L) {
  install_frozen(L, frozen_index, luasandbox_refuse_write, &luasandbox_key_frozen_meta);
  install_frozen(L, luasandbox_record_index, luasandbox_record_newindex,
                 &luasandbox_key_record_meta);
}

/* ---- thaw ---- */

static void thaw_value(lua_State *L, int depth) {
  if (lua_type(L, -1) != LUA_TTABLE) return;
  if (depth >= DECODE_DEPTH)
    luaL_error(L, "cannot thaw a table that is nested too deeply or contains itself");
  luaL_checkstack(L, 10, "too deeply nested");
  luasandbox_walk_table(L, luasandbox_of(L));
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
