/* The entry points. Each does its work in one protected function, so that no error of Lua's passes
 * to the caller and running out of memory anywhere is just another outcome. */
#include "internal.h"
#include "tags.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char luasandbox_key_dispatcher = 0, luasandbox_key_caller = 0;

static const luasandbox_limits defaults = {
  .memory_bytes = 8 << 20,
  .block_bytes = 1 << 20,
  .deadline_ns = 250000000,
  .source_bytes = 256 << 10,
  .result_bytes = 1 << 20,
};

enum {
  BOOT_FUEL = 5000000, KEPT_BYTES = 64 * 1024, RESULTS = 2,
  GC_PAUSE = 400,  /* a handler leaves little garbage beside what each collection looks at */
};

/* ---- protected calls ---- */

/* Runs where the error was raised, while the lines that led there can still be read. */
static int note_error(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  if (box->doom == LUASANDBOX_OK) luasandbox_note_place(box);
  lua_settop(L, 1);
  return 1;
}

static int run_body(luasandbox *box) {
  lua_State *L = box->lua;
  luasandbox_start_clocks(box);
  lua_settop(L, 0);
  lua_pushcfunction(L, note_error);
  lua_pushcfunction(L, box->job.body);
  return lua_pcall(L, 0, 0, 1);
}

/* ---- one call ---- */

static void report(luasandbox *box, luasandbox_status status, luasandbox_result *result) {
  if (result == NULL) return;
  memset(result, 0, sizeof *result);
  result->status = status;
  bool ok = status == LUASANDBOX_OK;
  result->bytes = ok ? box->output : box->message;
  result->length = ok ? box->output_length : box->message_length;
  if (!ok) {
    bool vague = box->place_line < 1 || strcmp(box->place_file, box->prelude) == 0;
    bool started = vague && box->start_line > 0;
    memcpy(result->file, started ? box->start_file : box->place_file, sizeof result->file);
    result->line = started ? box->start_line : box->place_line;
  }
  /* Which meter ended it depends on the process, so a run out of fuel has used all of it. */
  result->fuel_used = status == LUASANDBOX_FUEL ? box->fuel_limit : box->fuel_limit - box->fuel;
  result->memory_used = box->used;
}

static void begin(luasandbox *box, int64_t fuel) {
  if (box->output_capacity > KEPT_BYTES)
    luasandbox_release(box, &box->output, &box->output_capacity);
  if (box->scratch_capacity > KEPT_BYTES)
    luasandbox_release(box, &box->scratch, &box->scratch_capacity);
  if (box->decided_capacity > KEPT_BYTES)
    luasandbox_release(box, &box->decided, &box->decided_capacity);
  box->output_length = box->scratch_length = box->message_length = 0;
  luasandbox_forget_decisions(box);
  box->phase = PHASE_RUN;
  box->allocations = 0;
  box->start_file[0] = '\0';
  box->start_line = 0;
  box->slow_text = false;
  luasandbox_start_meter(box, fuel);
}

static luasandbox_status refuse(luasandbox *box, luasandbox_status status, const char *text,
                                luasandbox_result *result) {
  box->fuel = box->fuel_limit = 0;
  box->place_file[0] = '\0';
  box->place_line = box->start_line = 0;
  luasandbox_say(box, text);
  report(box, status, result);
  return status;
}

static const char *const waits = "it waits for an answer and cannot be called meanwhile";

/* The same without a touch to the call that waits. */
static luasandbox_status refuse_meanwhile(luasandbox_result *result) {
  if (result != NULL) {
    memset(result, 0, sizeof *result);
    result->status = LUASANDBOX_ERROR;
    result->bytes = (const uint8_t *)waits;
    result->length = strlen(waits);
  }
  return LUASANDBOX_ERROR;
}

static luasandbox_status perform(luasandbox *box, job job, int64_t fuel,
                                 luasandbox_result *result) {
  if (box->asking) return refuse_meanwhile(result);
  begin(box, fuel);
  box->job = job;
  luasandbox_status status = luasandbox_classify(box, luasandbox_run_with_stack(box, run_body));
  lua_settop(box->lua, 0);
  luasandbox_publish_use(box);
  report(box, status, result);
  return status;
}

/* ---- chunks ---- */

static void load_job(lua_State *L, const job *job) {
  luasandbox *box = luasandbox_of(L);
  box->phase = PHASE_PARSE;
  luasandbox_note_start(box, job->file, 1);
  if (luasandbox_load_text(L, job->file, (const char *)job->bytes, job->length) != LUA_OK)
    lua_error(L);
  box->phase = PHASE_RUN;
}

/* The prelude gets a copy of the environment, so that its globals are not the scripts'. */
static void give_own_environment(lua_State *L) {
  lua_newtable(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_env);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -5);
  }
  lua_pop(L, 1);
  lua_setupvalue(L, -2, 1);
}

/* The prelude as text, or as luasandbox_compile gave it. */
static void load_prelude(lua_State *L, const job *job) {
  if (job->length == 0 || job->bytes[0] != (uint8_t)LUA_SIGNATURE[0]) return load_job(L, job);
  int status = luaL_loadbufferx(L, (const char *)job->bytes, job->length, job->file, "b");
  if (status == LUA_ERRMEM) luasandbox_raise_doom(L, LUASANDBOX_MEMORY);
  if (status != LUA_OK) lua_error(L);
}

static int boot_body(lua_State *L) {
  load_prelude(L, &luasandbox_of(L)->job);
  give_own_environment(L);
  luasandbox_push_host(L);
  lua_call(L, 1, 2);
  if (!lua_isfunction(L, -2)) return luaL_error(L, "the prelude must return a function");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_caller);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &luasandbox_key_dispatcher);
  return 0;
}

static int compile_body(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  load_job(L, &box->job);
  int64_t left = box->fuel;
  luasandbox_dump_chunk(L);
  box->output_length = 0;
  memcpy(luasandbox_put(L, box->scratch_length), box->scratch, box->scratch_length);
  box->fuel = left;
  return 0;
}

static int add_module_body(lua_State *L) {
  const job *job = &luasandbox_of(L)->job;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_modules);
  lua_createtable(L, 0, 2);
  lua_pushstring(L, job->file);
  lua_setfield(L, -2, "file");
  lua_pushlstring(L, (const char *)job->bytes, job->length);
  lua_setfield(L, -2, "source");
  lua_setfield(L, -2, job->module);
  luasandbox_forget_long_strings(luasandbox_of(L));
  return 0;
}

static int load_body(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  const job *job = &box->job;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_host);
  lua_pushlstring(L, (const char *)job->bytes, job->length);
  lua_setfield(L, -2, "source");
  lua_pushstring(L, job->file);
  lua_setfield(L, -2, "file");
  luasandbox_forget_long_strings(box);   /* no script can reach this one */
  load_job(L, job);
  lua_call(L, 0, 1);
  lua_setfield(L, -2, "chunk");
  lua_pushnil(L);
  luasandbox_encode(L, -1, "", 0);
  return 0;
}

/* A request that begins with a seed is for the prelude's second function, which is not ticked. */
static void take_seed(lua_State *L, luasandbox *box) {
  if (!lua_isinteger(L, 2)) return;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_caller) != LUA_TFUNCTION) {
    lua_pop(L, 1);
    return;
  }
  lua_replace(L, 1);
  luasandbox_seed(box, (uint64_t)lua_tointeger(L, 2));
  luasandbox_stop_ticks(box);
}

static int call_body(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  const job *job = &box->job;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &luasandbox_key_dispatcher);
  box->phase = PHASE_DATA;
  int arguments = luasandbox_decode_each(L, job->bytes, job->length);
  box->phase = PHASE_RUN;
  take_seed(L, box);
  lua_call(L, arguments, RESULTS);
  box->phase = PHASE_DATA;
  box->output_length = box->scratch_length = 0;
  uint8_t *head = luasandbox_put(L, 5);
  memcpy(head, (uint8_t[]){TAG_ARRAY, RESULTS + 1, 0, 0, 0}, 5);
  for (int i = 1; i <= RESULTS; i++) luasandbox_encode_more(L, i, "", 0);
  luasandbox_add_decisions(L);
  return 0;
}

/* ---- life ---- */

static int prepare_body(lua_State *L) {
  lua_gc(L, LUA_GCINC, GC_PAUSE, 0, 0);
  luasandbox_install_metatables(L);
  luasandbox_install_library(L);
  return 0;
}

static void fill_limits(luasandbox *box, const luasandbox_limits *limits) {
  if (limits != NULL) box->limits = *limits;
  if (box->limits.memory_bytes == 0) box->limits.memory_bytes = defaults.memory_bytes;
  if (box->limits.block_bytes == 0) box->limits.block_bytes = defaults.block_bytes;
  if (box->limits.deadline_ns == 0) box->limits.deadline_ns = defaults.deadline_ns;
  if (box->limits.source_bytes == 0) box->limits.source_bytes = defaults.source_bytes;
  if (box->limits.result_bytes == 0) box->limits.result_bytes = defaults.result_bytes;
  if (box->limits.block_bytes < 4096) box->limits.block_bytes = 4096;
}

luasandbox *luasandbox_create(const luasandbox_limits *limits) {
  luasandbox *box = calloc(1, sizeof *box);
  if (box == NULL) return NULL;
  fill_limits(box, limits);
  box->prelude = "";
  box->fuel = box->work = box->spare = INT64_MAX;
  box->step = HOOK_STEP;
  luasandbox_seed(box, 0);
  lua_State *L = lua_newstate(luasandbox_allocate, box);
  if (L == NULL) {
    luasandbox_destroy(box);
    return NULL;
  }
  *(luasandbox **)lua_getextraspace(L) = box;
  box->lua = L;
  job job = {.body = prepare_body};
  if (perform(box, job, INT64_MAX, NULL) != LUASANDBOX_OK) {
    luasandbox_destroy(box);
    return NULL;
  }
  return box;
}

static atomic_size_t unbalanced;

void luasandbox_destroy(luasandbox *box) {
  if (box == NULL) return;
  lua_State *L = box->lua;
  box->lua = NULL;              /* from here on the allocator only frees */
  if (L != NULL) lua_close(L);  /* no script can have made a finalizer */
  for (known_file *file = box->files, *next; file != NULL; file = next) {
    next = file->next;
    luasandbox_allocate(box, file, file->bytes, 0);
  }
  luasandbox_release(box, &box->output, &box->output_capacity);
  luasandbox_release(box, &box->scratch, &box->scratch_capacity);
  luasandbox_release(box, &box->decided, &box->decided_capacity);
  luasandbox_release(box, &box->ran, &box->ran_capacity);
  luasandbox_drop_blocks(box);
  luasandbox_publish_use(box);
  if (box->used != 0) atomic_fetch_add(&unbalanced, 1);
  free(box);
}

size_t luasandbox_unbalanced(void) { return atomic_load(&unbalanced); }

/* Why a state can not run a chunk of this size now, or NULL. */
static const char *unfit(const luasandbox *box, bool booted) {
  if (box->dead) return "this state was stopped by a limit and cannot run again";
  if (box->booted != booted) return booted ? "it has no prelude yet" : "it has a prelude already";
  return NULL;
}

luasandbox_status luasandbox_boot(luasandbox *box, const char *name, const uint8_t *source,
                                  size_t length, luasandbox_result *result) {
  if (box->asking) return refuse_meanwhile(result);
  const char *why = unfit(box, false);
  if (why != NULL) return refuse(box, LUASANDBOX_ERROR, why, result);
  box->prelude = luasandbox_remember_file(box, name);
  job job = {.body = boot_body, .file = name, .bytes = source, .length = length};
  luasandbox_status status = perform(box, job, BOOT_FUEL, result);
  box->booted = status == LUASANDBOX_OK;
  return status;
}

luasandbox_status luasandbox_add_module(luasandbox *box, const char *module, const char *file,
                                        const uint8_t *source, size_t length) {
  if (box->dead) return LUASANDBOX_ERROR;
  if (length > box->limits.source_bytes) return LUASANDBOX_SYNTAX;
  luasandbox_remember_file(box, file);
  job job = {.body = add_module_body, .module = module, .file = file, .bytes = source,
             .length = length};
  return perform(box, job, INT64_MAX, NULL);
}

luasandbox_status luasandbox_load(luasandbox *box, const char *file, const uint8_t *source,
                                  size_t length, int64_t fuel, luasandbox_result *result) {
  if (box->asking) return refuse_meanwhile(result);
  const char *why = unfit(box, true);
  if (why != NULL) return refuse(box, LUASANDBOX_ERROR, why, result);
  if (length > box->limits.source_bytes) {
    char text[96];
    snprintf(text, sizeof text, "the file is too long (%zu bytes, at most %zu)", length,
             box->limits.source_bytes);
    return refuse(box, LUASANDBOX_SYNTAX, text, result);
  }
  luasandbox_remember_file(box, file);
  job job = {.body = load_body, .file = file, .bytes = source, .length = length};
  return perform(box, job, fuel, result);
}

luasandbox_status luasandbox_call(luasandbox *box, const uint8_t *input, size_t length,
                                  int64_t fuel, luasandbox_result *result) {
  if (box->asking) return refuse_meanwhile(result);
  const char *why = unfit(box, true);
  if (why != NULL) return refuse(box, LUASANDBOX_ERROR, why, result);
  job job = {.body = call_body, .bytes = input, .length = length};
  return perform(box, job, fuel, result);
}

luasandbox_status luasandbox_compile(luasandbox *box, const char *name, const uint8_t *source,
                                     size_t length, luasandbox_result *result) {
  if (box->asking) return refuse_meanwhile(result);
  const char *why = unfit(box, false);
  if (why != NULL) return refuse(box, LUASANDBOX_ERROR, why, result);
  luasandbox_remember_file(box, name);
  job job = {.body = compile_body, .file = name, .bytes = source, .length = length};
  return perform(box, job, BOOT_FUEL, result);
}

void luasandbox_set_service(luasandbox *box, luasandbox_service service, void *context) {
  box->service = service;
  box->service_context = context;
}

luasandbox_status luasandbox_code_lines(luasandbox *box, const char *file, const uint8_t *source,
                                        size_t length, uint8_t *lines, size_t count,
                                        luasandbox_result *result) {
  if (box->asking) return refuse_meanwhile(result);
  if (length > box->limits.source_bytes)
    return refuse(box, LUASANDBOX_SYNTAX, "the file is too long", result);
  memset(lines, 0, count);
  luasandbox_remember_file(box, file);
  job job = {.body = luasandbox_code_lines_body, .file = file, .bytes = source, .length = length,
             .lines = lines, .line_count = count};
  return perform(box, job, BOOT_FUEL, result);
}

const char *luasandbox_lua_release(void) {
  return LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE;
}
