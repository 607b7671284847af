/* Memory, fuel and time: what a state may use, and how a run that used it up is ended.
 *
 * Two meters run side by side. `fuel` counts only what the script determines (instructions, objects
 * made, bytes of long strings, steps of our own functions), so its reading is the same in every
 * process. `work` counts what also depends on Lua's random hash seed and on the collector (rehashed
 * tables, interned strings, emergency collections) or on the machine (instructions that take far
 * too long); its budget is wide, it only stops abuse and is never reported.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  WORK_PER_FUEL = 2,
  LONG_STRING_BLOCK = 96,       /* larger than the block of any interned string */
  SLOW_TICK_NS = 100000,        /* a hundred ordinary instructions take about 1,000 */
  SLOW_NS_PER_WORK = 50,
  FIRST_TICKS = 5,              /* not held to any time of their own */
};

static const char doom_value = 0;
static atomic_size_t live_bytes;

size_t luasandbox_live_bytes(void) { return atomic_load(&live_bytes); }

/* ---- ending a run ---- */

/* Notes the line that runs; none when no line does. */
void luasandbox_note_place(luasandbox *box) {
  box->place_file[0] = '\0';
  box->place_line = 0;
  luasandbox_renote_place(box);
}

/* The same, but what was noted before stays when no line runs. */
void luasandbox_renote_place(luasandbox *box) {
  lua_Debug ar;
  bool found = false;
  for (int level = 0; level < 64 && lua_getstack(box->lua, level, &ar); level++) {
    if (!lua_getinfo(box->lua, "Sl", &ar) || ar.currentline <= 0 || ar.source[0] != '@') continue;
    bool prelude = strcmp(ar.source + 1, box->prelude) == 0;
    if (prelude && found) continue;
    found = true;
    size_t length = strnlen(ar.source + 1, sizeof box->place_file - 1);
    memcpy(box->place_file, ar.source + 1, length);
    box->place_file[length] = '\0';
    box->place_line = ar.currentline;
    if (!prelude) return;       /* a script's own line says more than the prelude's */
  }
}

/* Does not raise, so that the allocator may call it: the next instruction does. */
void luasandbox_doom(luasandbox *box, luasandbox_status status) {
  if (box->doom != LUASANDBOX_OK || box->lua == NULL) return;
  box->doom = status;
  /* No line may run when memory is short: then the one where it was refused before counts. */
  if (status == LUASANDBOX_MEMORY) luasandbox_renote_place(box);
  else luasandbox_note_place(box);
  /* Every later instruction raises again, so no pcall of the script can go on. */
  lua_sethook(box->lua, luasandbox_hook, LUA_MASKCOUNT, 1);
}

_Noreturn void luasandbox_raise_doom(lua_State *L, luasandbox_status status) {
  luasandbox_doom(luasandbox_of(L), status);
  lua_pushlightuserdata(L, (void *)&doom_value);
  lua_error(L);
  abort();                      /* lua_error does not return */
}

static int64_t clock_value(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* For functions of ours that work long between two ticks. */
void luasandbox_check_clock(lua_State *L, luasandbox *box) {
  if (box->deadline >= 0 && clock_value(CLOCK_MONOTONIC) > box->deadline)
    luasandbox_raise_doom(L, LUASANDBOX_DEADLINE);
}

/* A single instruction can be dear: comparing two megabyte strings, following a chain of colliding
 * keys, passing on thousands of arguments. Such ticks take a hundred times longer than others, and
 * pay by the time this thread really had, so that a busy machine costs nobody anything. */
static void charge_slow_tick(luasandbox *box, int64_t elapsed) {
  int64_t cpu = clock_value(CLOCK_THREAD_CPUTIME_ID), used = cpu - box->cpu_mark;
  box->cpu_mark = cpu;
  box->work -= (used < elapsed ? used : elapsed) / SLOW_NS_PER_WORK;
}

/* Ends a run that took too long, or whose steps did. */
void luasandbox_look_at_clocks(lua_State *L, luasandbox *box) {
  int64_t now = clock_value(CLOCK_MONOTONIC), elapsed = now - box->last_tick;
  box->last_tick = now;
  if (box->cpu_mark < -1) box->cpu_mark++;
  else if (box->cpu_mark < 0) box->cpu_mark = clock_value(CLOCK_THREAD_CPUTIME_ID);
  else if (elapsed > SLOW_TICK_NS) charge_slow_tick(box, elapsed);
  if (box->work < 0) luasandbox_raise_doom(L, LUASANDBOX_FUEL);
  if (box->deadline >= 0 && now > box->deadline) luasandbox_raise_doom(L, LUASANDBOX_DEADLINE);
}

void luasandbox_hook(lua_State *L, lua_Debug *ar) {
  if (ar->event == LUA_HOOKLINE) {
    luasandbox_note_line(L, ar);
    return;
  }
  luasandbox *box = luasandbox_of(L);
  luasandbox_look_at_clocks(L, box);
  luasandbox_charge(L, box, HOOK_STEP);
}

void luasandbox_start_clocks(luasandbox *box) {
  box->last_tick = clock_value(CLOCK_MONOTONIC);
  box->cpu_mark = -FIRST_TICKS; /* read after them: a system call, and most runs are short */
  box->deadline = box->limits.deadline_ns < 0 ? -1 : box->last_tick + box->limits.deadline_ns;
}

/* Around the host's own function: its time is not the script's. */
void luasandbox_stop_clocks(luasandbox *box) { box->asked_at = clock_value(CLOCK_MONOTONIC); }

void luasandbox_restart_clocks(luasandbox *box) {
  if (box->deadline >= 0) box->deadline += clock_value(CLOCK_MONOTONIC) - box->asked_at;
  box->last_tick = clock_value(CLOCK_MONOTONIC);
  box->cpu_mark = -FIRST_TICKS;
}

void luasandbox_start_meter(luasandbox *box, int64_t fuel) {
  if (fuel < 0) fuel = 0;
  if (fuel > INT64_MAX / 4) fuel = INT64_MAX / 4;
  box->fuel = box->fuel_limit = fuel;
  box->work = fuel * WORK_PER_FUEL;
  box->doom = LUASANDBOX_OK;
  box->place_file[0] = '\0';
  box->place_line = 0;
  luasandbox_start_ticks(box);
}

void luasandbox_start_ticks(luasandbox *box) {
  if (box->doom != LUASANDBOX_OK) return;
  int lines = box->ran_file == NULL ? 0 : LUA_MASKLINE;
  lua_sethook(box->lua, luasandbox_hook, LUA_MASKCOUNT | lines, HOOK_STEP);
}

/* The prelude's own code is bounded, and an instruction that may be ticked costs nearly twice as
 * much. A doomed run keeps its ticks: each raises. */
void luasandbox_stop_ticks(luasandbox *box) {
  if (box->doom == LUASANDBOX_OK) lua_sethook(box->lua, NULL, 0, 0);
}

/* ---- memory ---- */

/* Called where Lua can not raise. */
static void meter_allocation(luasandbox *box, bool fresh, size_t kind, size_t size) {
  int64_t cost = (int64_t)(size / BYTES_PER_FUEL) + 1;
  bool object = fresh && (kind == LUA_TTABLE || kind == LUA_TFUNCTION || kind == LUA_TUSERDATA ||
                          (kind == LUA_TSTRING && size > LONG_STRING_BLOCK));
  if (object) box->fuel -= cost;
  else box->work -= cost;
  if (box->fuel < 0 || box->work < 0) luasandbox_doom(box, LUASANDBOX_FUEL);
}

static void refuse(luasandbox *box) {
  if (box->lua == NULL || box->doom != LUASANDBOX_OK) return;
  /* Lua asks again while it leaves the script, where no line runs. */
  luasandbox_renote_place(box);
  /* Lua now collects everything and asks again. A script that lives at the edge of its memory
   * could have that done at each step. */
  box->work -= (int64_t)(box->used / 16);
  if (box->work < 0) luasandbox_doom(box, LUASANDBOX_MEMORY);
}

static bool may_grow(luasandbox *box, size_t block_size, size_t growth) {
  if (box->fail_at != 0 && ++box->allocations >= box->fail_at) return false;
  return block_size <= box->limits.block_bytes && box->used <= box->limits.memory_bytes &&
         growth <= box->limits.memory_bytes - box->used;
}

static void account(luasandbox *box, size_t removed, size_t added) {
  box->used = box->used - removed + added;
}

/* Once for each call: an atomic operation for each block would cost more than the block. */
void luasandbox_publish_use(luasandbox *box) {
  atomic_fetch_add_explicit(&live_bytes, box->used - box->published, memory_order_relaxed);
  box->published = box->used;
}

void *luasandbox_allocate(void *ud, void *block, size_t old_size, size_t new_size) {
  luasandbox *box = ud;
  size_t held = block == NULL ? 0 : old_size + RAW_HEADER_BYTES;
  char *raw = block == NULL ? NULL : (char *)block - RAW_HEADER_BYTES;
  if (new_size == 0) {
    luasandbox_give_block(box, raw, held);
    account(box, held, 0);
    return NULL;
  }
  size_t wanted = new_size + RAW_HEADER_BYTES;
  if (wanted > held && !may_grow(box, new_size, wanted - held)) {
    refuse(box);
    return NULL;
  }
  char *fresh = luasandbox_take_block(box, raw, held, wanted);
  if (fresh == NULL) {
    if (wanted > held) return NULL;
    fresh = raw;                /* Lua relies on shrinking never failing */
  }
  account(box, held, wanted);
  if (block == NULL) {
    box->serial++;
    memcpy(fresh, &box->serial, sizeof box->serial);
  }
  if (wanted > held) meter_allocation(box, block == NULL, old_size, new_size);
  return fresh + RAW_HEADER_BYTES;
}

/* Objects are numbered in the order in which they were made, which addresses would not tell. */
uint64_t luasandbox_serial(const void *object) {
  uint64_t serial;
  memcpy(&serial, (const char *)object - RAW_HEADER_BYTES, sizeof serial);
  return serial;
}

void luasandbox_fail_allocation(luasandbox *box, size_t number) { box->fail_at = number; }

/* Memory of the sandbox that Lua does not know: counted like its own. */
bool luasandbox_grow(luasandbox *box, uint8_t **block, size_t *capacity, size_t need) {
  if (need <= *capacity) return true;
  size_t wanted = *capacity < 512 ? 512 : *capacity;
  while (wanted < need) wanted = wanted > SIZE_MAX / 2 ? need : wanted * 2;
  if (box->fail_at != 0 && ++box->allocations >= box->fail_at) return false;
  if (wanted - *capacity > box->limits.memory_bytes + box->limits.result_bytes) return false;
  uint8_t *fresh = realloc(*block, wanted);
  if (fresh == NULL) return false;
  account(box, *capacity, wanted);
  *block = fresh;
  *capacity = wanted;
  return true;
}

void luasandbox_release(luasandbox *box, uint8_t **block, size_t *capacity) {
  free(*block);
  account(box, *capacity, 0);
  *block = NULL;
  *capacity = 0;
}
