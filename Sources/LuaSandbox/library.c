/* What scripts can reach: an environment put together by name from Lua's libraries and our own. */
#include "internal.h"

#include <string.h>

/* A member of one of Lua's libraries, and which of its arguments it reads as numbers. */
typedef struct member {
  const char *name;
  unsigned numbers;
} member;

static const member base_members[] = {
  {"assert", 0}, {"error", READS(2)}, {"select", READS(1)}, {"type", 0}, {NULL, 0},
};
static const member math_members[] = {
  {"abs", READS_ALL}, {"ceil", READS_ALL}, {"floor", READS_ALL}, {"fmod", READS_ALL}, {"huge", 0},
  {"max", READS_ALL}, {"min", READS_ALL}, {"maxinteger", 0}, {"mininteger", 0},
  {"modf", READS_ALL}, {"sqrt", READS_ALL}, {"tointeger", READS_ALL}, {"type", 0},
  {"ult", READS_ALL}, {"pi", 0}, {NULL, 0},
};
static const member utf8_members[] = {{"charpattern", 0}, {NULL, 0}};
static const member no_members[] = {{NULL, 0}};

/* Copies the named members from the table at the top into the one below it. */
static void copy_members(lua_State *L, const member *members) {
  for (; members->name != NULL; members++) {
    if (lua_getfield(L, -1, members->name) == LUA_TFUNCTION) {
      lua_CFunction function = lua_tocfunction(L, -1);
      lua_pop(L, 1);
      luasandbox_push_function(L, function, members->numbers);
    }
    lua_setfield(L, -3, members->name);
  }
}

typedef struct borrowed {
  const char *name;
  stock_function as;
} borrowed;

static const borrowed base_borrowed[] = {{"tonumber", STOCK_TONUMBER}, {NULL, STOCK_COUNT}};
static const borrowed string_borrowed[] = {
  {"byte", STOCK_BYTE}, {"char", STOCK_CHAR}, {"lower", STOCK_LOWER}, {"upper", STOCK_UPPER},
  {"reverse", STOCK_REVERSE}, {"sub", STOCK_SUB}, {"rep", STOCK_REP}, {"format", STOCK_FORMAT},
  {NULL, STOCK_COUNT},
};
static const borrowed utf8_borrowed[] = {
  {"len", STOCK_UTF8_LEN}, {"offset", STOCK_UTF8_OFFSET}, {"codepoint", STOCK_UTF8_CODEPOINT},
  {"char", STOCK_UTF8_CHAR}, {NULL, STOCK_COUNT},
};

static void borrow(lua_State *L, const borrowed *list) {
  for (; list->name != NULL; list++) {
    lua_getfield(L, -1, list->name);
    luasandbox_of(L)->stock[list->as] = lua_tocfunction(L, -1);
    lua_pop(L, 1);
  }
}

/* The step function that utf8.codes would hand out. */
static lua_CFunction utf8_step(lua_State *L, bool lax) {
  lua_getfield(L, -1, "codes");
  lua_pushliteral(L, "");
  lua_pushboolean(L, lax);
  lua_call(L, 2, 1);
  lua_CFunction step = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  return step;
}

static void open_stock(lua_State *L, lua_CFunction open) {
  lua_pushcfunction(L, open);
  lua_call(L, 0, 1);
}

/* Environment at the top: adds the library `name` to it. */
static void add_library(lua_State *L, const char *name, lua_CFunction open,
                        const member *members, const sandbox_function *ours,
                        const sandbox_function *more) {
  luasandbox *box = luasandbox_of(L);
  lua_newtable(L);
  open_stock(L, open);
  if (open == luaopen_string) borrow(L, string_borrowed);
  if (open == luaopen_utf8) {
    borrow(L, utf8_borrowed);
    box->stock[STOCK_UTF8_STEP] = utf8_step(L, false);
    box->stock[STOCK_UTF8_STEP_LAX] = utf8_step(L, true);
  }
  copy_members(L, members);
  lua_pop(L, 1);
  luasandbox_add_functions(L, ours);
  if (more != NULL) luasandbox_add_functions(L, more);
  if (open == luaopen_string) {
    /* Methods of strings: from the same table, and the metatable is out of reach. */
    lua_pushliteral(L, "");
    lua_createtable(L, 0, 10);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    luasandbox_add_arithmetic(L);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
  }
  luasandbox_push_library(L, name);
  lua_setfield(L, -2, name);
}

void luasandbox_install_library(lua_State *L) {
  lua_newtable(L);
  open_stock(L, luaopen_base);
  borrow(L, base_borrowed);
  copy_members(L, base_members);
  lua_getfield(L, -1, "_VERSION");
  lua_setfield(L, -3, "_VERSION");
  lua_pop(L, 1);
  luasandbox_add_functions(L, luasandbox_base_functions);
  luasandbox_push_ipairs(L);
  lua_setfield(L, -2, "ipairs");
  add_library(L, "math", luaopen_math, math_members, luasandbox_math_functions, NULL);
  add_library(L, "string", luaopen_string, no_members, luasandbox_text_functions,
              luasandbox_match_functions);
  add_library(L, "table", luaopen_table, no_members, luasandbox_array_functions, NULL);
  add_library(L, "utf8", luaopen_utf8, utf8_members, luasandbox_utf8_functions, NULL);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_env);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_modules);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_loaded);
}
