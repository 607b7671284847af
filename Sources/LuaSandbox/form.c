/* Scripts in the form that Lua compiled them to, for states that load what another one loaded. */
#include "internal.h"

#include <string.h>

void luasandbox_give_form(luasandbox *box, const char *file, const luasandbox_form *form) {
  if (box->dead || box->asking) return;
  known_file *known = luasandbox_know_file(box, file);
  if (known != NULL) known->form = *form;
}

/* NULL unless there is one of just this text. */
const luasandbox_form *luasandbox_form_of(const luasandbox *box, const char *file,
                                          const char *text, size_t length) {
  for (const known_file *known = box->files; known != NULL; known = known->next) {
    if (strcmp(known->name, file) != 0) continue;
    const luasandbox_form *form = &known->form;
    bool same = form->bytes != NULL && form->source_length == length &&
                memcmp(form->source, text, length) == 0;
    return same ? form : NULL;
  }
  return NULL;
}

/* As luasandbox_load_text, and for the same fuel, whatever reading the form takes of it. */
int luasandbox_load_form(lua_State *L, const luasandbox_form *form) {
  luasandbox *box = luasandbox_of(L);
  luasandbox_charge(L, box, form->fuel);
  int64_t left = box->fuel;
  box->fuel = INT64_MAX / 4;
  int status = luaL_loadbufferx(L, (const char *)form->bytes, form->length, "=form", "b");
  box->fuel = left;
  if (status == LUA_ERRMEM) luasandbox_raise_doom(L, LUASANDBOX_MEMORY);
  if (status != LUA_OK) return status;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_env);
  lua_setupvalue(L, -2, 1);
  return LUA_OK;
}
