/* Compiling text, within the time of the run that it belongs to. A chain of operators or branches
 * takes the square of its length: Lua walks to its end for each link. No instruction runs
 * meanwhile, so the compiler gets its text in small pieces, and the clock is looked at before each. */
#define _GNU_SOURCE
#include "internal.h"

#include <string.h>

enum { SOURCE_BYTES_PER_FUEL = 8, SOURCE_PIECE = 256, SHORT_COMPILE_NS = 1000000 };

typedef struct source {
  luasandbox *box;
  const char *file, *text, *next, *end;
  int64_t began, cpu_began;     /* clock readings */
} source;

static int line_of(const source *in) {
  int line = 1;
  for (const char *at = in->text; at < in->next; at++)
    if (*at == '\n') line++;
  return line;
}

/* Processor time of this compilation; asking for it is a system call, so not while it is short. */
static int64_t time_used(const source *in, int64_t now) {
  int64_t elapsed = now - in->began;
  if (elapsed < SHORT_COMPILE_NS) return elapsed;
  int64_t used = luasandbox_processor_time() - in->cpu_began;
  return used < elapsed ? used : elapsed;
}

/* Ends the run when its time is up: the deadline, or what it may take beyond its fuel. */
static void look(lua_State *L, const source *in) {
  luasandbox *box = in->box;
  int64_t now = luasandbox_time();
  bool late = box->deadline >= 0 && now > box->deadline;
  if (!late && now - in->began > box->spare) late = time_used(in, now) > box->spare;
  if (!late) return;
  luasandbox_doom(box, LUASANDBOX_DEADLINE);
  box->slow_text = true;
  luasandbox_set_place(box, in->file, line_of(in));
  luasandbox_raise_doom(L, LUASANDBOX_DEADLINE);
}

static const char *next_piece(lua_State *L, void *context, size_t *size) {
  source *in = context;
  const char *piece = in->next;
  size_t left = (size_t)(in->end - piece);
  look(L, in);
  *size = left < SOURCE_PIECE ? left : SOURCE_PIECE;
  in->next += *size;
  return piece;
}

static int compile(lua_State *L, const char *file, const char *text, const char *next,
                   const char *end) {
  luasandbox *box = luasandbox_of(L);
  source in = {box, file, text, next, end, luasandbox_time(), luasandbox_processor_time()};
  lua_pushfstring(L, "@%s", file);
  int status = lua_load(L, next_piece, &in, lua_tostring(L, -1), "t");
  lua_remove(L, -2);
  if (status == LUA_ERRMEM) luasandbox_raise_doom(L, LUASANDBOX_MEMORY);
  if (box->doom != LUASANDBOX_OK) luasandbox_raise_doom(L, box->doom);
  look(L, &in);                 /* some chains are closed when all of the text is read */
  luasandbox_take_time(box, time_used(&in, luasandbox_time()));
  return status;
}

/* Loads text with the scripts' environment. A byte order mark and a first line for the shell are
 * skipped; the line's end stays, so that lines keep their numbers. */
int luasandbox_load_text(lua_State *L, const char *file, const char *text, size_t length) {
  luasandbox *box = luasandbox_of(L);
  const luasandbox_form *form = luasandbox_form_of(box, file, text, length);
  if (form != NULL) return luasandbox_load_form(L, form);
  luasandbox_charge(L, box, (int64_t)(length / SOURCE_BYTES_PER_FUEL) + 1);
  const char *next = text, *end = text + length;
  if (length >= 3 && memcmp(next, "\xEF\xBB\xBF", 3) == 0) next += 3;
  if (next < end && *next == '#') {
    const char *line_end = memchr(next, '\n', (size_t)(end - next));
    next = line_end == NULL ? end : line_end;
  }
  if (next < end && *next == LUA_SIGNATURE[0]) {
    lua_pushfstring(L, "%s:1: bytecode is not accepted, text only", file);
    return LUA_ERRSYNTAX;
  }
  int status = compile(L, file, text, next, end);
  if (status != LUA_OK) return status;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_env);
  lua_setupvalue(L, -2, 1);
  return LUA_OK;
}
