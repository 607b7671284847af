#include "LuaStock.h"

#include "../../Sources/CLua/shim.h"

#include <string.h>

long luastock_run(const char *source, size_t length, char *output, size_t capacity) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return -1;
  luaL_openlibs(L);
  int failed = luaL_loadbufferx(L, source, length, "@stock", "t") || lua_pcall(L, 0, 1, 0);
  size_t size = 0;
  const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &size) : NULL;
  if (text == NULL) failed = 1;
  if (size > capacity) size = capacity;
  if (text != NULL) memcpy(output, text, size);
  lua_close(L);
  return failed ? -1 : (long)size;
}
