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
  LONG_STRING = 64 * 1024,
  VERY_LONG_STRING = 256 * 1024,
  NS_PER_FUEL = 30,             /* an instruction takes about ten, our own functions less */
  WEIGH_NS = 2000000,
  SPARE_NS_PER_FUEL = 100,
  SPARE_LEAST_NS = 50000000,
  SPARE_MOST_NS = 250000000,
  TABLES_PER_LOOK = 16,
  KEYS_PER_LOOK = 64,
  NODE_BYTES = 24,              /* what Lua 5.4 holds a key and its value in, beside the array part */
  MANY_NODES = 1024,
};

static const char doom_value = 0;
static atomic_size_t live_bytes;

size_t luasandbox_live_bytes(void) { return atomic_load(&live_bytes); }

/* ---- ending a run ---- */

static void copy_name(char name[128], const char *file) {
  size_t length = strnlen(file, 127);
  memcpy(name, file, length);
  name[length] = '\0';
}

void luasandbox_set_place(luasandbox *box, const char *file, int line) {
  copy_name(box->place_file, file);
  box->place_line = line;
}

/* Where what runs begins: it stands for faults that no line of a script leads to. */
void luasandbox_note_start(luasandbox *box, const char *file, int line) {
  copy_name(box->start_file, file);
  box->start_line = line;
}

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
    luasandbox_set_place(box, ar.source + 1, ar.currentline);
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

int64_t luasandbox_time(void) { return clock_value(CLOCK_MONOTONIC); }
int64_t luasandbox_processor_time(void) { return clock_value(CLOCK_THREAD_CPUTIME_ID); }

/* For functions of ours that work long between two ticks. */
void luasandbox_check_clock(lua_State *L, luasandbox *box) {
  if (box->deadline >= 0 && clock_value(CLOCK_MONOTONIC) > box->deadline)
    luasandbox_raise_doom(L, LUASANDBOX_DEADLINE);
}

/* A single instruction can be dear: comparing two megabyte strings, following a chain of colliding
 * keys, passing on thousands of arguments. What a run takes beyond what its fuel stands for goes off
 * its spare time: in time that this thread really had, so that a busy machine costs nobody anything.
 * Asking for that is a system call, and most runs are over before. */
static void weigh(luasandbox *box, int64_t now) {
  int64_t cpu = luasandbox_processor_time(), allowed = (box->fuel_mark - box->fuel) * NS_PER_FUEL;
  if (box->cpu_mark >= 0 && cpu - box->cpu_mark > allowed)
    box->spare -= cpu - box->cpu_mark - allowed;
  box->last_weighed = now;
  box->cpu_mark = cpu;
  box->fuel_mark = box->fuel;
}

/* What a run is to end with that took too long, or whose steps did; else OK. */
static luasandbox_status judge(luasandbox *box) {
  int64_t now = luasandbox_time();
  if (now - box->last_weighed > WEIGH_NS) weigh(box, now);
  if (box->work < 0 || box->spare < 0) return LUASANDBOX_FUEL;
  return box->deadline >= 0 && now > box->deadline ? LUASANDBOX_DEADLINE : LUASANDBOX_OK;
}

void luasandbox_look_at_clocks(lua_State *L, luasandbox *box) {
  luasandbox_status status = judge(box);
  box->next_look = box->fuel > LOOK_FUEL ? box->fuel - LOOK_FUEL : 0;
  if (status != LUASANDBOX_OK) luasandbox_raise_doom(L, status);
}

void luasandbox_charge_more(lua_State *L, luasandbox *box) {
  if (box->fuel < 0 || box->doom != LUASANDBOX_OK) luasandbox_raise_doom(L, LUASANDBOX_FUEL);
  luasandbox_look_at_clocks(L, box);
}

/* For each table that is looked through. One that was emptied takes as long as when it was full,
 * and costs nothing. */
void luasandbox_walk_table(lua_State *L, luasandbox *box) {
  if (++box->tables_walked % TABLES_PER_LOOK == 0) luasandbox_look_at_clocks(L, box);
}

/* For each key of a table that is looked through: where keys collide, going on from one to the next
 * takes as long as there are keys. */
void luasandbox_walk_key(lua_State *L, luasandbox *box, size_t seen) {
  if (seen % KEYS_PER_LOOK == 0) luasandbox_look_at_clocks(L, box);
}

void luasandbox_hook(lua_State *L, lua_Debug *ar) {
  if (ar->event == LUA_HOOKLINE) {
    luasandbox_note_line(L, ar);
    return;
  }
  luasandbox *box = luasandbox_of(L);
  luasandbox_look_at_clocks(L, box);
  luasandbox_charge(L, box, box->step);
}

void luasandbox_start_clocks(luasandbox *box) {
  box->last_weighed = luasandbox_time();
  box->cpu_mark = -1;
  box->deadline = box->limits.deadline_ns < 0 ? -1 : box->last_weighed + box->limits.deadline_ns;
}

/* Around the host's own function: its time is not the script's. */
void luasandbox_stop_clocks(luasandbox *box) {
  box->asked_at = luasandbox_time();
  box->asked_at_cpu = luasandbox_processor_time();
}

void luasandbox_restart_clocks(luasandbox *box) {
  int64_t away = luasandbox_time() - box->asked_at;
  if (box->deadline >= 0) box->deadline += away;
  box->last_weighed += away;
  if (box->cpu_mark >= 0) box->cpu_mark += luasandbox_processor_time() - box->asked_at_cpu;
}

/* What was taken was measured by somebody else, who took it off the spare time. */
void luasandbox_take_time(luasandbox *box, int64_t taken) {
  box->spare -= taken;
  box->last_weighed = luasandbox_time();
  box->cpu_mark = -1;
  box->fuel_mark = box->fuel;
}

/* What takes longer than its fuel says may take so long together: compiling texts, instructions on
 * strings of a megabyte. In processor time, so that a busy machine costs nobody anything. */
static int64_t spare_time(const luasandbox *box, int64_t fuel) {
  int64_t most = SPARE_MOST_NS > box->limits.deadline_ns ? SPARE_MOST_NS : box->limits.deadline_ns;
  if (fuel < SPARE_LEAST_NS / SPARE_NS_PER_FUEL) return SPARE_LEAST_NS;
  return fuel > most / SPARE_NS_PER_FUEL ? most : fuel * SPARE_NS_PER_FUEL;
}

void luasandbox_start_meter(luasandbox *box, int64_t fuel) {
  if (fuel < 0) fuel = 0;
  if (fuel > INT64_MAX / 4) fuel = INT64_MAX / 4;
  box->fuel = box->fuel_limit = box->fuel_mark = fuel;
  box->next_look = fuel > LOOK_FUEL ? fuel - LOOK_FUEL : 0;
  box->work = fuel * WORK_PER_FUEL;
  box->spare = spare_time(box, fuel);
  box->doom = LUASANDBOX_OK;
  box->place_file[0] = '\0';
  box->place_line = 0;
  luasandbox_start_ticks(box);
}

void luasandbox_start_ticks(luasandbox *box) {
  if (box->doom != LUASANDBOX_OK) return;
  int lines = box->ran_file == NULL ? 0 : LUA_MASKLINE;
  lua_sethook(box->lua, luasandbox_hook, LUA_MASKCOUNT | lines, box->step);
}

/* The prelude's own code is bounded, and an instruction that may be ticked costs nearly twice as
 * much. A doomed run keeps its ticks: each raises. */
void luasandbox_stop_ticks(luasandbox *box) {
  if (box->doom == LUASANDBOX_OK) lua_sethook(box->lua, NULL, 0, 0);
}

/* ---- memory ---- */

/* Where there are long strings a single instruction can take milliseconds: comparing two megabytes
 * of NULs, reading a megabyte of digits as a loop's limit. From then on there are more ticks. */
static void note_long_string(luasandbox *box, size_t size) {
  int step = size > VERY_LONG_STRING ? 5 : 25;
  if (step >= box->step) return;
  box->step = step;
  if (box->lua != NULL && lua_gethookmask(box->lua) != 0) luasandbox_start_ticks(box);
}

/* For a string that no script gets hold of. */
void luasandbox_forget_long_strings(luasandbox *box) {
  box->step = HOOK_STEP;
  luasandbox_start_ticks(box);
}

/* Called where Lua can not raise. */
static void meter_allocation(luasandbox *box, bool fresh, size_t kind, size_t size) {
  int64_t cost = (int64_t)(size / BYTES_PER_FUEL) + 1;
  bool object = fresh && (kind == LUA_TTABLE || kind == LUA_TFUNCTION || kind == LUA_TUSERDATA ||
                          (kind == LUA_TSTRING && size > LONG_STRING_BLOCK));
  if (object && kind == LUA_TSTRING && size > LONG_STRING) note_long_string(box, size);
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

/* Whether a table may get this room for its keys. Lua puts all keys into it anew within one
 * instruction, and where they collide that takes the square of their number: a quarter of a second
 * for the most that is allowed. */
static bool may_have_keys(luasandbox *box, size_t size) {
  if (size < MANY_NODES * NODE_BYTES || size % NODE_BYTES != 0 || box->lua == NULL) return true;
  size_t count = size / NODE_BYTES;
  if ((count & (count - 1)) != 0) return true;
  if (box->cpu_mark < 0) weigh(box, luasandbox_time());   /* from here on it counts */
  luasandbox_status status = judge(box);
  if (status != LUASANDBOX_OK) luasandbox_doom(box, status);
  return box->doom == LUASANDBOX_OK && count <= LUASANDBOX_KEYS_MOST;
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
  bool is_vector = block == NULL && old_size == 0;   /* for an object, old_size is its kind */
  if ((wanted > held && !may_grow(box, new_size, wanted - held)) ||
      (is_vector && !may_have_keys(box, new_size))) {
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
