/* Questions of a prelude that its host answers while Lua waits. The question is written out before
 * the host's function runs, and the answer is read or the error raised after it has returned: no
 * longjmp passes it. */
#include "internal.h"

#include <string.h>

enum { ASK_FUEL = 20, ASK_ARGUMENTS = 16, BYTES_ASKED_PER_FUEL = 8 };

/* ask(value, …): the answer. */
int luasandbox_ask(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  int top = lua_gettop(L);
  if (box->service == NULL) return luaL_error(L, "nobody answers questions here");
  luaL_argcheck(L, top >= 1 && top <= ASK_ARGUMENTS, 1, "no question");
  luasandbox_charge(L, box, ASK_FUEL);
  box->output_length = box->scratch_length = 0;
  luasandbox_put_array_head(L, (size_t)top);
  for (int i = 1; i <= top; i++) luasandbox_encode_more(L, i, "the argument", 1);
  luasandbox_charge(L, box, (int64_t)(box->output_length / BYTES_ASKED_PER_FUEL));
  luasandbox_reply reply = {NULL, 0};
  luasandbox_stop_clocks(box);
  box->asking = true;
  bool good = box->service(box->service_context, box->output, box->output_length, &reply);
  box->asking = false;
  luasandbox_restart_clocks(box);
  luasandbox_charge_bytes(L, box, reply.length);
  if (good) {
    luasandbox_decode(L, reply.bytes, reply.length);
    return 1;
  }
  lua_pushlstring(L, (const char *)reply.bytes, reply.length);
  return lua_error(L);
}

/* provide(name, value): what `require` of that name gives from now on. */
int luasandbox_provide(lua_State *L) {
  luaL_checkstring(L, 1);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_loaded);
  lua_insert(L, 1);
  lua_rawset(L, 1);
  return 0;
}
