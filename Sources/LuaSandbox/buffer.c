/* Text under construction. The bytes are userdata in a stack slot: an error that passes leaves them
 * to the collector, and the allocator charges for them. */
#include "internal.h"

#include <string.h>

void luasandbox_buffer_start(text_buffer *buffer, lua_State *L) {
  luaL_checkstack(L, 8, "too deeply nested");
  lua_pushnil(L);
  buffer->lua = L;
  buffer->box = luasandbox_of(L);
  buffer->bytes = buffer->first;
  buffer->length = 0;
  buffer->capacity = sizeof buffer->first;
  buffer->slot = lua_gettop(L);
}

static void make_room(text_buffer *buffer, size_t more) {
  lua_State *L = buffer->lua;
  size_t most = buffer->box->limits.block_bytes - 64;   /* the header of a string or userdata */
  if (more > most - buffer->length) luaL_error(L, "resulting string too large");
  size_t capacity = buffer->capacity;
  while (capacity - buffer->length < more) capacity = capacity > most / 2 ? most : capacity * 2;
  char *fresh = lua_newuserdatauv(L, capacity, 0);
  memcpy(fresh, buffer->bytes, buffer->length);
  lua_replace(L, buffer->slot);
  buffer->bytes = fresh;
  buffer->capacity = capacity;
}

void luasandbox_buffer_add(text_buffer *buffer, const char *bytes, size_t length) {
  if (length > buffer->capacity - buffer->length) make_room(buffer, length);
  memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length += length;
}

void luasandbox_buffer_push(text_buffer *buffer) {
  lua_pushlstring(buffer->lua, buffer->bytes, buffer->length);
}
