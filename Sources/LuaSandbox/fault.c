/* How a call ended: status, text, file and line. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

static void set_message(luasandbox *box, const char *text, size_t length) {
  if (length > MESSAGE_BYTES) {
    length = MESSAGE_BYTES;     /* not in the middle of a character */
    while (length > MESSAGE_BYTES - 4 && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
  }
  memcpy(box->message, text, length);
  box->message_length = length;
}

void luasandbox_say(luasandbox *box, const char *text) { set_message(box, text, strlen(text)); }

/* NULL when there is no memory for it. */
known_file *luasandbox_know_file(luasandbox *box, const char *name) {
  size_t length = strlen(name);
  for (known_file *f = box->files; f != NULL; f = f->next)
    if (strcmp(f->name, name) == 0) return f;
  known_file *file = luasandbox_allocate(box, NULL, 0, sizeof *file + length + 1);
  if (file == NULL) return NULL;
  file->bytes = sizeof *file + length + 1;
  file->form = (luasandbox_form){0};
  memcpy(file->name, name, length + 1);
  file->next = box->files;
  box->files = file;
  return file;
}

/* The box's own copy of the name, or "": its errors will keep their prefix. */
const char *luasandbox_remember_file(luasandbox *box, const char *name) {
  known_file *file = luasandbox_know_file(box, name);
  return file == NULL ? "" : file->name;
}

/* How Lua shortens a long file name at the head of a message. */
static size_t short_name(const char *name, char text[LUA_IDSIZE]) {
  size_t length = strlen(name), most = LUA_IDSIZE - 1;
  if (length <= most) memcpy(text, name, length);
  else {
    memcpy(text, "...", 3);
    memcpy(text + 3, name + length - (most - 3), most - 3);
    length = most;
  }
  return length;
}

/* "file:12: text" → the text, file and line noted. Only names that were loaded count. */
static const char *take_place(luasandbox *box, const char *text, size_t *length) {
  char name[LUA_IDSIZE];
  for (known_file *f = box->files; f != NULL; f = f->next) {
    size_t n = short_name(f->name, name), i = n + 1;
    if (*length < n + 4 || memcmp(text, name, n) != 0 || text[n] != ':') continue;
    int line = 0;
    for (; i < *length && text[i] >= '0' && text[i] <= '9' && line < 10000000; i++)
      line = line * 10 + (text[i] - '0');
    if (i == n + 1 || i + 1 >= *length || text[i] != ':' || text[i + 1] != ' ') continue;
    snprintf(box->place_file, sizeof box->place_file, "%s", f->name);
    box->place_line = line;
    *length -= i + 2;
    return text + i + 2;
  }
  return text;
}

/* The error value at the top of the stack, as text. Nothing here may raise. */
static void read_error(luasandbox *box) {
  lua_State *L = box->lua;
  char text[96];
  size_t length;
  switch (lua_gettop(L) > 0 ? lua_type(L, -1) : LUA_TNONE) {
    case LUA_TSTRING: {
      const char *bytes = lua_tolstring(L, -1, &length);
      bytes = take_place(box, bytes, &length);
      set_message(box, bytes, length);
      break;
    }
    case LUA_TNUMBER:
      if (lua_isinteger(L, -1))
        snprintf(text, sizeof text, "%lld", (long long)lua_tointeger(L, -1));
      else
        snprintf(text, sizeof text, "%.14g", lua_tonumber(L, -1));
      luasandbox_say(box, text);
      break;
    default:
      snprintf(text, sizeof text, "(error object is a %s value)", luaL_typename(L, -1));
      luasandbox_say(box, text);
  }
}

static luasandbox_status explain_doom(luasandbox *box) {
  char text[160];
  switch (box->doom) {
    case LUASANDBOX_DEADLINE:
      if (box->slow_text) {
        luasandbox_say(box, "it takes too long to compile: the time was up when the compiler had "
                            "come as far as this line");
        return box->doom;
      }
      snprintf(text, sizeof text, "it ran longer than the %lld ms it may take",
               (long long)(box->limits.deadline_ns / 1000000));
      break;
    case LUASANDBOX_MEMORY:
      snprintf(text, sizeof text,
               "it needs more memory than it may have (%zu KiB, %zu KiB in one piece, or %d keys in "
               "one table)",
               box->limits.memory_bytes / 1024, box->limits.block_bytes / 1024,
               LUASANDBOX_KEYS_MOST);
      break;
    default:
      snprintf(text, sizeof text, "it used up its %lld units of fuel: an endless loop?",
               (long long)box->fuel_limit);
  }
  luasandbox_say(box, text);
  return box->doom;
}

luasandbox_status luasandbox_classify(luasandbox *box, int outcome) {
  if (outcome == -1) {
    luasandbox_say(box, "no thread with enough native stack could be started");
    return LUASANDBOX_ERROR;
  }
  if (outcome == LUA_ERRMEM && box->doom == LUASANDBOX_OK) box->doom = LUASANDBOX_MEMORY;
  if (box->doom != LUASANDBOX_OK) {
    box->dead = true;
    return explain_doom(box);
  }
  if (outcome == LUA_OK) return LUASANDBOX_OK;
  read_error(box);
  if (box->phase == PHASE_PARSE) return LUASANDBOX_SYNTAX;
  return box->phase == PHASE_DATA ? LUASANDBOX_DATA : LUASANDBOX_ERROR;
}
