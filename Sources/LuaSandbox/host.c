/* The table of host functions: what the prelude may do and scripts may not. */
#include "internal.h"
#include "tags.h"

#include <ctype.h>
#include <string.h>

const char luasandbox_key_host = 0;

static int host_setmetatable(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

static int host_getmetatable(lua_State *L) {
  luaL_checkany(L, 1);
  return lua_getmetatable(L, 1);
}

static int host_rawget(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  lua_rawget(L, 1);
  return 1;
}

static int host_rawset(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 3);
  lua_settop(L, 3);
  lua_rawset(L, 1);
  return 1;
}

static int host_rawequal(lua_State *L) {
  luaL_checkany(L, 2);
  lua_pushboolean(L, lua_rawequal(L, 1, 2));
  return 1;
}

static int host_rawlen(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushinteger(L, (lua_Integer)lua_rawlen(L, 1));
  return 1;
}

/* In no order: for loops whose outcome does not depend on one. */
static int host_next(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  luasandbox_charge(L, luasandbox_of(L), 1);
  if (lua_next(L, 1)) return 2;
  lua_pushnil(L);
  return 1;
}

static int host_freeze(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  luasandbox_freeze(L);
  return 1;
}

static int host_thaw(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  luasandbox_thaw(L);
  return 1;
}

static int host_frozen(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, luasandbox_is_frozen(L, 1));
  return 1;
}

static int host_seed(lua_State *L) {
  luasandbox_seed(luasandbox_of(L), (uint64_t)luaL_checkinteger(L, 1));
  return 0;
}

/* A handler's first line stands for it where none of its lines led to a fault. */
static void note_function(lua_State *L, luasandbox *box) {
  if (lua_type(L, 1) != LUA_TFUNCTION) return;
  lua_Debug ar;
  lua_pushvalue(L, 1);
  lua_getinfo(L, ">S", &ar);
  bool script = ar.source[0] == '@' && strcmp(ar.source + 1, box->prelude) != 0;
  if (script && ar.linedefined > 0) luasandbox_note_start(box, ar.source + 1, ar.linedefined);
}

/* run(fn, …): what fn returns; it is ticked, and what follows is not. For the prelude's function
 * that calls handlers, which is not ticked itself. */
static int host_run(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  note_function(L, box);
  luasandbox_start_ticks(box);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  luasandbox_stop_ticks(box);
  return lua_gettop(L);
}

static int nothing(lua_State *L) {
  lua_pushnil(L);
  return 1;
}

static void push_place(lua_State *L, const lua_Debug *ar) {
  lua_pushstring(L, ar->source[0] == '@' ? ar->source + 1 : ar->source);
  lua_pushinteger(L, ar->currentline);
}

/* where(level): file and line; levels as in `error`. Without one: a script's innermost line. */
static int host_where(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  bool any = lua_isnoneornil(L, 1);
  lua_Integer level = luaL_optinteger(L, 1, 1);
  lua_Debug ar;
  if (level < 0 || level > 200) return nothing(L);
  for (; level <= 200 && lua_getstack(L, (int)level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    bool script = ar.currentline > 0 && strcmp(ar.source + 1, box->prelude) != 0;
    if (!any && ar.currentline <= 0) return nothing(L);
    if (any && !script) continue;
    push_place(L, &ar);
    return 2;
  }
  return nothing(L);
}

/* line_of(fn): the line where a Lua function begins, and its file. */
static int host_line_of(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_Debug ar;
  lua_getinfo(L, ">S", &ar);
  if (ar.linedefined < 0) return nothing(L);
  lua_pushinteger(L, ar.linedefined);
  lua_pushstring(L, ar.source[0] == '@' ? ar.source + 1 : ar.source);
  return 2;
}

/* ---- find_word: a scanner that knows Lua's comments and strings, nothing else ---- */

typedef struct scanner {
  const char *next, *end;
  lua_Integer line;
} scanner;

static char look(const scanner *in, size_t ahead) {
  return (size_t)(in->end - in->next) > ahead ? in->next[ahead] : '\0';
}

static void skip(scanner *in, size_t count) {
  for (; count > 0 && in->next < in->end; count--)
    if (*in->next++ == '\n') in->line++;
}

/* At '[': skips a long bracket whole, if it is one. */
static bool skip_long_bracket(scanner *in) {
  size_t level = 0;
  while (look(in, 1 + level) == '=') level++;
  if (look(in, 0) != '[' || look(in, 1 + level) != '[') return false;
  skip(in, level + 2);
  while (in->next < in->end) {
    size_t equals = 0;
    if (look(in, 0) == ']') {
      while (look(in, 1 + equals) == '=') equals++;
      if (equals == level && look(in, 1 + equals) == ']') {
        skip(in, level + 2);
        return true;
      }
    }
    skip(in, 1 + (equals < level ? equals : 0));
  }
  return true;
}

static void skip_quoted(scanner *in, char quote) {
  skip(in, 1);
  while (in->next < in->end && look(in, 0) != quote && look(in, 0) != '\n')
    skip(in, look(in, 0) == '\\' ? 2 : 1);
  skip(in, 1);
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static lua_Integer find_word(scanner *in, const char *word, size_t length) {
  while (in->next < in->end) {
    char c = look(in, 0);
    if (c == '-' && look(in, 1) == '-') {
      skip(in, 2);
      if (look(in, 0) == '[' && skip_long_bracket(in)) continue;
      while (in->next < in->end && look(in, 0) != '\n') skip(in, 1);
    } else if (c == '"' || c == '\'') {
      skip_quoted(in, c);
    } else if (is_word(c)) {
      const char *start = in->next;
      while (is_word(look(in, 0))) skip(in, 1);
      if ((size_t)(in->next - start) == length && memcmp(start, word, length) == 0) return in->line;
    } else if (c != '[' || !skip_long_bracket(in)) {
      skip(in, 1);
    }
  }
  return 0;
}

/* find_word(word): the first line of host.source that has it as an identifier, or nil. */
static int host_find_word(lua_State *L) {
  size_t length, size = 0;
  const char *word = luaL_checklstring(L, 1, &length);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_host);
  lua_getfield(L, -1, "source");
  const char *source = lua_tolstring(L, -1, &size);
  if (source == NULL) return nothing(L);
  luasandbox_charge(L, luasandbox_of(L), (int64_t)size / 8 + 1);
  scanner in = {source, source + size, 1};
  lua_Integer line = find_word(&in, word, length);
  if (line == 0) return nothing(L);
  lua_pushinteger(L, line);
  return 1;
}

/* ---- the rest ---- */

static int host_fuel(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  lua_pushinteger(L, box->fuel_limit - box->fuel);
  return 1;
}

/* encode(value, name, around): its bytes; `name` is what an error text calls it, `around` how many
 * tables it will stand in when it goes out. */
static int host_encode(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  luaL_checkany(L, 1);
  lua_Integer around = luaL_optinteger(L, 3, 0);
  luaL_argcheck(L, around >= 0 && around <= ENCODE_DEPTH, 3, "no depth");
  luasandbox_encode(L, 1, luaL_optstring(L, 2, ""), (int)around);
  lua_pushlstring(L, (const char *)box->output, box->output_length);
  return 1;
}

static int encode_body(lua_State *L) {
  luasandbox_encode(L, 1, "", (int)lua_tointeger(L, 2));
  return 0;
}

static bool is_empty_table(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || lua_getmetatable(L, index)) return false;
  lua_pushnil(L);
  return lua_next(L, index) == 0;
}

/* same(value, bytes, around): whether these are its bytes, and its bytes if they are others; false
 * alone when it has none. */
static int host_same(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  size_t length;
  const char *bytes = luaL_checklstring(L, 2, &length);
  lua_settop(L, 3);
  if (length == 5 && is_empty_table(L, 1)) {   /* the shortest table there is */
    lua_pushboolean(L, bytes[0] == TAG_MAP);
    return 1;
  }
  lua_settop(L, 3);
  lua_pushcfunction(L, encode_body);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  int status = lua_pcall(L, 2, 0, 0);
  if (status == LUA_ERRMEM) luasandbox_raise_doom(L, LUASANDBOX_MEMORY);
  bool same = status == LUA_OK && box->output_length == length &&
              memcmp(box->output, bytes, length) == 0;
  lua_pushboolean(L, same);
  if (same || status != LUA_OK) return 1;
  lua_pushlstring(L, (const char *)box->output, box->output_length);
  return 2;
}

static int host_decode(lua_State *L) {
  size_t length;
  const char *bytes = luaL_checklstring(L, 1, &length);
  luasandbox_decode(L, (const uint8_t *)bytes, length);
  return 1;
}

/* missing(fn): fn(kind, key, writes, record) answers for a field that a record of that kind does not
 * have, or for a write to one. */
static int host_missing(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_missing);
  return 0;
}

/* Whether the value at the top is what the rule below it allows. */
static bool fits(lua_State *L) {
  if (lua_isboolean(L, -2)) return lua_toboolean(L, -2);
  if (lua_type(L, -2) == LUA_TTABLE) {
    lua_pushvalue(L, -1);
    lua_rawget(L, -3);
    bool known = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return known;
  }
  if (lua_type(L, -2) != LUA_TNUMBER || lua_type(L, -1) != LUA_TSTRING) return false;
  lua_Integer most = lua_tointeger(L, -2), length = (lua_Integer)lua_rawlen(L, -1);
  return most < 0 ? length <= -most : length > 0 && length <= most;
}

/* fits(t, rules): whether t is an ordinary table whose every entry has a rule and fits it. A rule
 * is the set of what is allowed, or how long a text may be: negative when it may be empty too; or
 * true, for what is looked at elsewhere. */
static int host_fits(lua_State *L) {
  lua_settop(L, 2);
  luaL_checktype(L, 2, LUA_TTABLE);
  bool good = lua_type(L, 1) == LUA_TTABLE && !lua_getmetatable(L, 1);
  lua_settop(L, 2);
  lua_pushnil(L);
  for (int seen = 0; good && lua_next(L, 1); seen++) {
    lua_pushvalue(L, -2);
    lua_rawget(L, 2);
    lua_insert(L, -2);
    good = seen < 64 && fits(L);
    lua_pop(L, 2);
  }
  lua_pushboolean(L, good);
  return 1;
}

static const sandbox_function host_functions[] = {
  {"setmetatable", host_setmetatable, 0}, {"getmetatable", host_getmetatable, 0},
  {"rawget", host_rawget, 0}, {"rawset", host_rawset, 0}, {"rawequal", host_rawequal, 0},
  {"rawlen", host_rawlen, 0}, {"next", host_next, 0}, {"freeze", host_freeze, 0},
  {"thaw", host_thaw, 0}, {"frozen", host_frozen, 0}, {"seed", host_seed, READS(1)},
  {"run", host_run, 0}, {"same", host_same, 0}, {"link", luasandbox_record_link, 0},
  {"where", host_where, READS(1)}, {"line_of", host_line_of, 0}, {"find_word", host_find_word, 0},
  {"fuel", host_fuel, 0}, {"encode", host_encode, READS(3)}, {"decode", host_decode, 0},
  {"decide", luasandbox_decide, 0}, {"missing", host_missing, 0}, {"fits", host_fits, 0},
  {"ask", luasandbox_ask, 0}, {"provide", luasandbox_provide, 0},
  {NULL, NULL, 0},
};

/* Makes the table, keeps it in the registry and leaves it at the top. */
void luasandbox_push_host(lua_State *L) {
  lua_createtable(L, 0, (int)(sizeof host_functions / sizeof *host_functions));
  luasandbox_add_functions(L, host_functions);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_env);
  lua_setfield(L, -2, "env");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_host);
}
