/* Records: maps that stay as they came, encoded, behind a read-only table. A field is looked for
 * when it is asked for; most never are, and building tables for them would cost more than all the
 * rest of a call.
 *
 * Entries under the empty name are about the record: a text is its kind, a map has more of its
 * fields. A field that a record with a kind does not have goes to the host's function for
 * that, and so does a write. A field may stand for another record, which came with an earlier call:
 * `link` says which, and one that was linked with none does not have it. */
#include "wire.h"

const char luasandbox_key_record_meta = 0, luasandbox_key_missing = 0;
/* In the table that scripts see: values that were made, and the record as an ordinary table. */
static const char mark_made = 0, mark_opened = 0;
/* The bytes of the record that a field stands for. */
static const char mark_linked = 0;

/* Replaces the bytes at the top by the record of them. */
static void stand_before(lua_State *L, int entries) {
  lua_createtable(L, 0, entries);
  lua_insert(L, -2);
  lua_rawsetp(L, -2, &luasandbox_mark_frozen);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_record_meta);
  lua_setmetatable(L, -2);
}

static void push_record(lua_State *L, const uint8_t *bytes, size_t length, int entries) {
  luaL_checkstack(L, 6, "data is nested too deeply");
  lua_pushlstring(L, (const char *)bytes, length);
  stand_before(L, entries);
}

/* With room for what is linked and what is made. */
void luasandbox_push_record(lua_State *L, const uint8_t *bytes, size_t length) {
  push_record(L, bytes, length, 3);
}

/* link(record, other): what a field of the record that is another one stands for. */
int luasandbox_record_link(lua_State *L) {
  lua_settop(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  if (lua_type(L, 2) != LUA_TTABLE) return 0;
  if (lua_rawgetp(L, 2, &luasandbox_mark_frozen) != LUA_TSTRING) return 0;
  lua_rawsetp(L, 1, &mark_linked);
  return 0;
}

/* ---- walking ---- */

typedef struct walk {
  reader in;
  uint32_t entries;             /* left in the map at hand */
  const uint8_t *kind;
  size_t kind_length;
} walk;

static void enter_map(walk *w) {
  if (*take(&w->in, 1) != TAG_MAP) luasandbox_malformed(&w->in, "a record is no map");
  w->entries = read_count(&w->in);
}

static void begin_walk(walk *w, lua_State *L, int bytes) {
  size_t length;
  const uint8_t *start = (const uint8_t *)lua_tolstring(L, bytes, &length);
  *w = (walk){.in = {L, start, start, start + length}};
  enter_map(w);
}

/* At the value under the empty name. */
static void take_own_entry(walk *w) {
  uint8_t tag = *take(&w->in, 1);
  uint32_t length = read_count(&w->in);
  if (tag == TAG_STRING) {
    w->kind_length = length;
    w->kind = take(&w->in, length);
  } else if (tag == TAG_SIZED && w->entries == 0) {
    enter_map(w);
  } else {
    luasandbox_malformed(&w->in, "a record's own entry is neither its kind nor its last");
  }
}

/* The next field's name; NULL: there is none. Then the reader is at its value. */
static const char *next_field(walk *w, size_t *length) {
  while (w->entries > 0) {
    w->entries--;
    if (*take(&w->in, 1) != TAG_STRING) luasandbox_malformed(&w->in, "a field has no name");
    *length = read_count(&w->in);
    const char *name = (const char *)take(&w->in, *length);
    if (*length > 0) return name;
    take_own_entry(w);
  }
  return NULL;
}

/* ---- reading a field ---- */

static bool is_container(const reader *in) {
  switch (left(in) > 0 ? *in->next : TAG_NIL) {
    case TAG_ARRAY: case TAG_MAP: case TAG_SIZED: case TAG_RECORD: case TAG_LINK: return true;
    default: return false;
  }
}

/* Pushes the record that a field of this one stands for; nil: none was linked. */
static void push_linked(lua_State *L, int record, reader *in) {
  take(in, 1);
  if (lua_rawgetp(L, record, &mark_linked) == LUA_TSTRING) stand_before(L, 1);
}

/* Pushes the container at hand, read-only: a map as a record of its own, another as a table. */
static void push_container(lua_State *L, reader *in) {
  if (*in->next == TAG_LINK) {
    push_linked(L, 1, in);
    return;
  }
  if (*in->next == TAG_SIZED) {
    in->next++;
    uint32_t length = read_count(in);
    if (left(in) < length || length == 0) luasandbox_malformed(in, "it ends too early");
    in->end = in->next + length;
  }
  if (*in->next == TAG_MAP) {
    const uint8_t *start = in->next;
    luasandbox_skip_value(in, 1);
    push_record(L, start, (size_t)(in->next - start), 1);
  } else {
    luasandbox_read_value(in, 1);
    luasandbox_freeze(L);
  }
}

/* Containers are made once, so that the same field is the same table each time. */
static void push_made(lua_State *L, reader *in) {
  if (lua_rawgetp(L, 1, &mark_made) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, 1, &mark_made);
  }
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) != LUA_TNIL) return;
  lua_pop(L, 1);
  push_container(L, in);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -2);
  lua_rawset(L, -4);
}

/* Asks the host about a field that is not there, or must not be written. */
static int ask_host(lua_State *L, const walk *w, bool writes) {
  if (w->kind == NULL) return 0;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_missing) != LUA_TFUNCTION) return 0;
  lua_pushlstring(L, (const char *)w->kind, w->kind_length);
  lua_pushvalue(L, 2);
  lua_pushboolean(L, writes);
  lua_pushvalue(L, 1);
  lua_call(L, 4, 1);
  return 1;
}

int luasandbox_record_index(lua_State *L) {
  lua_settop(L, 2);
  if (lua_rawgetp(L, 1, &luasandbox_mark_frozen) != LUA_TSTRING) return 0;
  walk w;
  begin_walk(&w, L, 3);
  size_t wanted = 0, length;
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tolstring(L, 2, &wanted) : NULL;
  const char *name;
  while ((name = next_field(&w, &length)) != NULL) {
    if (key == NULL || length != wanted || memcmp(name, key, length) != 0) {
      luasandbox_skip_value(&w.in, 1);
      continue;
    }
    if (is_container(&w.in)) push_made(L, &w.in);
    else luasandbox_read_value(&w.in, 1);
    return 1;
  }
  return ask_host(L, &w, false);
}

int luasandbox_record_newindex(lua_State *L) {
  lua_settop(L, 2);
  if (lua_rawgetp(L, 1, &luasandbox_mark_frozen) == LUA_TSTRING) {
    walk w;
    begin_walk(&w, L, 3);
    size_t length;
    while (w.kind == NULL && next_field(&w, &length) != NULL) luasandbox_skip_value(&w.in, 1);
    ask_host(L, &w, true);
  }
  return luasandbox_refuse_write(L);
}

/* Replaces a record on the stack by an ordinary table of its fields. */
void luasandbox_open_record(lua_State *L, int index) {
  luaL_checkstack(L, 8, "too deeply nested");
  if (lua_rawgetp(L, index, &mark_opened) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    int table = lua_gettop(L);
    lua_rawgetp(L, index, &luasandbox_mark_frozen);
    walk w;
    begin_walk(&w, L, table + 1);
    const char *name;
    size_t length;
    while ((name = next_field(&w, &length)) != NULL) {
      lua_pushlstring(L, name, length);
      lua_pushvalue(L, -1);
      bool known = lua_rawget(L, table) != LUA_TNIL;   /* what comes first counts */
      lua_pop(L, 1);
      if (left(&w.in) > 0 && *w.in.next == TAG_LINK) push_linked(L, index, &w.in);
      else luasandbox_read_value(&w.in, 1);
      if (known) lua_pop(L, 2);
      else lua_rawset(L, table);
    }
    lua_settop(L, table);
    lua_pushvalue(L, table);
    lua_rawsetp(L, index, &mark_opened);
  }
  lua_replace(L, index);
}
