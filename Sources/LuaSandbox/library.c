/* What scripts can reach: an environment put together by name from Lua's libraries and our own. */
#include "internal.h"

#include <string.h>

static const char *const base_names[] = {"assert", "error", "ipairs", "select", "type", NULL};
static const char *const math_names[] = {
  "abs", "ceil", "floor", "fmod", "huge", "max", "min", "maxinteger", "mininteger", "modf", "sqrt",
  "tointeger", "type", "ult", "pi", NULL,
};
static const char *const utf8_names[] = {"charpattern", NULL};
static const char *const no_names[] = {NULL};

/* An upvalue makes a C function an object, which has an age to be sorted by. */
static void push_function(lua_State *L, lua_CFunction function) {
  lua_pushboolean(L, 0);
  lua_pushcclosure(L, function, 1);
}

/* Copies the named members from the table at the top into the one below it. */
static void copy_members(lua_State *L, const char *const *names) {
  for (; *names != NULL; names++) {
    if (lua_getfield(L, -1, *names) == LUA_TFUNCTION) {
      lua_CFunction function = lua_tocfunction(L, -1);
      lua_pop(L, 1);
      push_function(L, function);
    }
    lua_setfield(L, -3, *names);
  }
}

static void add_functions(lua_State *L, const luaL_Reg *functions) {
  for (; functions->name != NULL; functions++) {
    push_function(L, functions->func);
    lua_setfield(L, -2, functions->name);
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
                        const char *const *names, const luaL_Reg *ours, const luaL_Reg *more) {
  luasandbox *box = luasandbox_of(L);
  lua_newtable(L);
  open_stock(L, open);
  if (open == luaopen_string) borrow(L, string_borrowed);
  if (open == luaopen_utf8) {
    borrow(L, utf8_borrowed);
    box->stock[STOCK_UTF8_STEP] = utf8_step(L, false);
    box->stock[STOCK_UTF8_STEP_LAX] = utf8_step(L, true);
  }
  copy_members(L, names);
  lua_pop(L, 1);
  add_functions(L, ours);
  if (more != NULL) add_functions(L, more);
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
  copy_members(L, base_names);
  lua_getfield(L, -1, "_VERSION");
  lua_setfield(L, -3, "_VERSION");
  lua_pop(L, 1);
  add_functions(L, luasandbox_base_functions);
  add_library(L, "math", luaopen_math, math_names, luasandbox_math_functions, NULL);
  add_library(L, "string", luaopen_string, no_names, luasandbox_text_functions,
              luasandbox_match_functions);
  add_library(L, "table", luaopen_table, no_names, luasandbox_array_functions, NULL);
  add_library(L, "utf8", luaopen_utf8, utf8_names, luasandbox_utf8_functions, NULL);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_env);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_modules);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_loaded);
}
