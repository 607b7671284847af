/* Which lines of a chunk can run, read from the form in which Lua itself writes a compiled chunk
 * out, and which did. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 1 << 19, DEPTH_MOST = 250, HEAD_BYTES = 4 + 1 + 1 + 6 + 3 + 8 + 8 + 1 };

/* What lua_dump wrote, and whether it went on as expected. */
typedef struct dump {
  const uint8_t *next, *end;
  uint8_t *lines;
  size_t count;
  bool broken;
} dump;

static const uint8_t *take(dump *in, size_t count) {
  if (in->broken || (size_t)(in->end - in->next) < count) {
    in->broken = true;
    return NULL;
  }
  const uint8_t *bytes = in->next;
  in->next += count;
  return bytes;
}

static int read_byte(dump *in) {
  const uint8_t *byte = take(in, 1);
  return byte == NULL ? 0 : *byte;
}

/* Seven bits a byte, the highest first; the last byte is marked. */
static size_t read_number(dump *in) {
  size_t value = 0;
  for (int i = 0; i < 10 && !in->broken; i++) {
    int byte = read_byte(in);
    value = value << 7 | (size_t)(byte & 0x7F);
    if (byte & 0x80) return value;
  }
  in->broken = true;
  return 0;
}

static void skip_string(dump *in) {
  size_t size = read_number(in);
  if (size > 0) take(in, size - 1);
}

static void skip_constants(dump *in) {
  for (size_t left = read_number(in); left > 0 && !in->broken; left--) {
    switch (read_byte(in)) {
      case 0x03: case 0x13: take(in, 8); break;
      case 0x04: case 0x14: skip_string(in); break;
      case 0x00: case 0x01: case 0x11: break;
      default: in->broken = true;
    }
  }
}

static void mark(dump *in, long line) {
  if (line >= 1 && (size_t)line <= in->count) in->lines[line - 1] = 1;
}

/* The lines of the instructions: steps from the one before, or, where a step is too long for a
 * byte, an entry of the table behind them. The last instruction is the return that every function
 * ends with, reached or not; the first of one with `...` only prepares. */
static void read_lines(dump *in, long line, bool is_vararg) {
  size_t steps = read_number(in);
  const uint8_t *step = take(in, steps);
  size_t entries = read_number(in), entry = 0;
  size_t place = 0, far_place = 0;
  long far_line = 0;
  bool pending = false;
  for (; place < steps && step != NULL && !in->broken; place++) {
    if (!pending && entry < entries) {
      far_place = read_number(in);
      far_line = (long)read_number(in);
      pending = true;
      entry++;
    }
    if (pending && far_place == place) {
      line = far_line;
      pending = false;
    } else if (step[place] == 0x80) {
      in->broken = true;
    } else {
      line += (int8_t)step[place];
    }
    if (place + 1 < steps && !(is_vararg && place == 0)) mark(in, line);
  }
  for (; entry < entries && !in->broken; entry++) {
    read_number(in);
    read_number(in);
  }
}

static void read_function(dump *in, int depth) {
  if (depth > DEPTH_MOST) in->broken = true;
  skip_string(in);
  long first = (long)read_number(in);
  read_number(in);
  take(in, 1);
  bool is_vararg = read_byte(in) != 0;
  take(in, 1);
  size_t code = read_number(in);
  take(in, code > SIZE_MAX / 4 ? SIZE_MAX : code * 4);
  skip_constants(in);
  size_t upvalues = read_number(in);
  take(in, upvalues > 255 ? SIZE_MAX : upvalues * 3);
  for (size_t left = read_number(in); left > 0 && !in->broken; left--)
    read_function(in, depth + 1);
  read_lines(in, first, is_vararg);
  for (size_t left = read_number(in); left > 0 && !in->broken; left--) {
    skip_string(in);
    read_number(in);
    read_number(in);
  }
  for (size_t left = read_number(in); left > 0 && !in->broken; left--) skip_string(in);
}

static int keep_piece(lua_State *L, const void *bytes, size_t length, void *context) {
  luasandbox *box = context;
  (void)L;
  size_t need = box->scratch_length + length;
  if (!luasandbox_grow(box, &box->scratch, &box->scratch_capacity, need)) return 1;
  memcpy(box->scratch + box->scratch_length, bytes, length);
  box->scratch_length = need;
  return 0;
}

/* Writes the function at the top out, into scratch memory. */
void luasandbox_dump_chunk(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  box->scratch_length = 0;
  if (lua_dump(L, keep_piece, box, 0) != 0) luasandbox_raise_doom(L, LUASANDBOX_MEMORY);
}

int luasandbox_code_lines_body(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  const job *job = &box->job;
  box->phase = PHASE_PARSE;
  if (luasandbox_load_text(L, job->file, (const char *)job->bytes, job->length) != LUA_OK)
    lua_error(L);
  box->phase = PHASE_RUN;
  luasandbox_dump_chunk(L);
  dump in = {box->scratch, box->scratch + box->scratch_length, job->lines, job->line_count, false};
  take(&in, HEAD_BYTES);
  read_function(&in, 0);
  if (in.broken || in.next != in.end)
    return luaL_error(L, "a compiled chunk of this Lua release cannot be read");
  lua_pushnil(L);
  luasandbox_encode(L, -1, "", 0);
  return 0;
}

/* ---- lines that ran ---- */

/* Called by the hook for each new line. */
void luasandbox_note_line(lua_State *L, lua_Debug *ar) {
  luasandbox *box = luasandbox_of(L);
  if (ar->currentline < 1 || ar->currentline > LINES_MOST) return;
  size_t place = (size_t)ar->currentline - 1;
  if (place < box->ran_count && box->ran[place]) return;
  if (!lua_getinfo(L, "S", ar) || ar->source[0] != '@') return;
  if (strcmp(ar->source + 1, box->ran_file) != 0) return;
  if (place >= box->ran_count) {
    size_t count = box->ran_count, need = (place + 256) & ~(size_t)255;
    if (!luasandbox_grow(box, &box->ran, &box->ran_capacity, need)) return;
    memset(box->ran + count, 0, need - count);
    box->ran_count = need;
  }
  box->ran[place] = 1;
}

luasandbox_status luasandbox_note_lines(luasandbox *box, const char *file) {
  const char *name = luasandbox_remember_file(box, file);
  if (name[0] == '\0') return LUASANDBOX_MEMORY;
  box->ran_file = name;
  return LUASANDBOX_OK;
}

size_t luasandbox_ran_lines(const luasandbox *box, const uint8_t **lines) {
  *lines = box->ran;
  return box->ran_count;
}
