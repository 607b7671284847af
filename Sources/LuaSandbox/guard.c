/* Which arguments a function reads as numbers, paid for before it runs. Lua's own conversions walk
 * the whole of a text, and an argument can be a megabyte of digits, thirty thousand times over. */
#include "internal.h"

enum { DIGITS_PER_FUEL = 4 };

/* Charges for reading the text at `index` as a number, if a text is there. */
void luasandbox_charge_numeral(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TSTRING) return;
  luasandbox_charge(L, luasandbox_of(L), (int64_t)(lua_rawlen(L, index) / DIGITS_PER_FUEL) + 1);
}

/* Stands before a function: upvalue 1 is it, upvalue 2 the arguments that it reads as numbers. */
static int guarded(lua_State *L) {
  unsigned numbers = (unsigned)lua_tointeger(L, lua_upvalueindex(2));
  int top = lua_gettop(L);
  for (int i = 1; i <= top && i < 32; i++)
    if (numbers & READS(i)) luasandbox_charge_numeral(L, i);
  for (int i = 32; i <= top && numbers == READS_ALL; i++) luasandbox_charge_numeral(L, i);
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* Pushes the function as scripts get it. An upvalue makes it an object, which has an age to be
 * sorted by. */
void luasandbox_push_function(lua_State *L, lua_CFunction function, unsigned numbers) {
  if (numbers == 0) {
    lua_pushboolean(L, 0);
    lua_pushcclosure(L, function, 1);
    return;
  }
  lua_pushcfunction(L, function);
  lua_pushinteger(L, (lua_Integer)numbers);
  lua_pushcclosure(L, guarded, 2);
}

/* Adds them to the table at the top. */
void luasandbox_add_functions(lua_State *L, const sandbox_function *functions) {
  for (; functions->name != NULL; functions++) {
    luasandbox_push_function(L, functions->function, functions->numbers);
    lua_setfield(L, -2, functions->name);
  }
}
