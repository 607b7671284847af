/* Base and math functions of ours, and `require`. */
#include "internal.h"

#include <string.h>

const char luasandbox_key_env = 0, luasandbox_key_modules = 0, luasandbox_key_loaded = 0;

/* ---- base ---- */

enum { PCALL_FUEL = 10 };       /* a native context to save, an error text to make */

/* As Lua's own, except that what ended the run for good is passed on. */
static int base_pcall(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  luaL_checkany(L, 1);
  luasandbox_charge(L, box, PCALL_FUEL);
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  if (status == LUA_ERRMEM) luasandbox_doom(box, LUASANDBOX_MEMORY);
  if (box->doom != LUASANDBOX_OK) luasandbox_raise_doom(L, box->doom);
  if (status != LUA_OK) box->phase = PHASE_RUN;
  if (!lua_checkstack(L, 1)) {
    lua_settop(L, 0);
    lua_pushboolean(L, 0);
    lua_pushliteral(L, "stack overflow");
    return 2;
  }
  lua_pushboolean(L, status == LUA_OK);
  lua_insert(L, 1);
  return lua_gettop(L);
}

static int base_tonumber(lua_State *L) { return luasandbox_of(L)->stock[STOCK_TONUMBER](L); }

/* Pushes the text of a value: no addresses, no metamethods. */
void luasandbox_push_text(lua_State *L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TSTRING: lua_pushvalue(L, index); break;
    case LUA_TNUMBER:
      lua_pushvalue(L, index);
      lua_tolstring(L, -1, NULL);
      break;
    case LUA_TBOOLEAN: lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false"); break;
    default: lua_pushstring(L, luaL_typename(L, index)); break;
  }
}

static int base_tostring(lua_State *L) {
  luaL_checkany(L, 1);
  luasandbox_push_text(L, 1);
  return 1;
}

/* Until the prelude puts one of its own in the environment, nobody listens. */
static int base_print(lua_State *L) {
  (void)L;
  return 0;
}

/* ---- require ---- */

/* The registry's `loaded` table has the value of each module, or a light userdata while it runs. */
static int base_require(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_settop(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_loaded);
  lua_pushvalue(L, 1);
  int kind = lua_rawget(L, 2);
  if (kind == LUA_TLIGHTUSERDATA)
    return luaL_error(L, "module '%s' requires itself, directly or through another module", name);
  if (kind != LUA_TNIL) return 1;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_modules);
  lua_pushvalue(L, 1);
  if (lua_rawget(L, -2) != LUA_TTABLE) {
    if (strlen(name) > 100) return luaL_error(L, "module not found in lib/ (its name is too long)");
    return luaL_error(L, "module '%s' not found in lib/", name);
  }
  lua_getfield(L, -1, "file");
  lua_getfield(L, -2, "source");
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  if (luasandbox_load_text(L, lua_tostring(L, -2), text, length) != LUA_OK) return lua_error(L);
  int chunk = lua_gettop(L);
  lua_pushvalue(L, 1);
  lua_pushlightuserdata(L, (void *)&luasandbox_key_loaded);
  lua_rawset(L, 2);
  lua_pushvalue(L, chunk);
  lua_pushvalue(L, 1);
  int status = lua_pcall(L, 1, 1, 0);
  if (status == LUA_ERRMEM) luasandbox_raise_doom(L, LUASANDBOX_MEMORY);
  if (status == LUA_OK && lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushboolean(L, 1);
  }
  lua_pushvalue(L, 1);
  if (status == LUA_OK) lua_pushvalue(L, -2);
  else lua_pushnil(L);
  lua_rawset(L, 2);
  return status == LUA_OK ? 1 : lua_error(L);
}

const sandbox_function luasandbox_base_functions[] = {
  {"pcall", base_pcall, 0}, {"tonumber", base_tonumber, READS(1) | READS(2)},
  {"tostring", base_tostring, 0}, {"print", base_print, 0}, {"require", base_require, 0},
  {"pairs", luasandbox_pairs, 0}, {"next", luasandbox_next, 0}, {NULL, NULL, 0},
};

/* ---- ipairs: as Lua's own, but that its step is guarded too: upvalue 1 ---- */

static int step_ipairs(lua_State *L) {
  lua_Integer place = (lua_Integer)((lua_Unsigned)luaL_checkinteger(L, 2) + 1);
  lua_pushinteger(L, place);
  return lua_geti(L, 1, place) == LUA_TNIL ? 1 : 2;
}

static int base_ipairs(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

void luasandbox_push_ipairs(lua_State *L) {
  luasandbox_push_function(L, step_ipairs, READS(2));
  lua_pushcclosure(L, base_ipairs, 1);
}

/* ---- math.random: xoshiro256**, seeded by the host, so that a run can be repeated ---- */

static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

static uint64_t draw(luasandbox *box) {
  uint64_t *s = box->random, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

/* splitmix64 spreads the seed, as the authors of xoshiro advise. */
void luasandbox_seed(luasandbox *box, uint64_t seed) {
  for (int i = 0; i < 4; i++) {
    uint64_t z = seed += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    box->random[i] = z ^ z >> 31;
  }
}

static uint64_t draw_up_to(luasandbox *box, uint64_t most) {
  uint64_t mask = most;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  uint64_t value;
  do value = draw(box) & mask;
  while (value > most);
  return value;
}

static int math_random(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  lua_Integer low = 1, high;
  switch (lua_gettop(L)) {
    case 0: lua_pushnumber(L, (lua_Number)(draw(box) >> 11) * 0x1p-53); return 1;
    case 1:
      high = luaL_checkinteger(L, 1);
      if (high == 0) {
        lua_pushinteger(L, (lua_Integer)draw(box));
        return 1;
      }
      break;
    case 2:
      low = luaL_checkinteger(L, 1);
      high = luaL_checkinteger(L, 2);
      break;
    default: return luaL_error(L, "wrong number of arguments");
  }
  luaL_argcheck(L, low <= high, lua_gettop(L), "interval is empty");
  uint64_t offset = draw_up_to(box, (uint64_t)high - (uint64_t)low);
  lua_pushinteger(L, (lua_Integer)((uint64_t)low + offset));
  return 1;
}

const sandbox_function luasandbox_math_functions[] = {
  {"random", math_random, READS_ALL}, {NULL, NULL, 0},
};
