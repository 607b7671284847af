/* What the files of the sandbox share. Not part of the interface. */
#ifndef LUASANDBOX_INTERNAL_H
#define LUASANDBOX_INTERNAL_H

#include "../CLua/shim.h"
#include "LuaSandbox.h"

#include <stdbool.h>

enum {
  HOOK_STEP = 100,              /* instructions between two ticks */
  LOOK_FUEL = 2000,             /* of our own functions between two looks at the clocks */
  BYTES_PER_FUEL = 32,          /* allocated or scanned bytes for one unit of fuel */
  MESSAGE_BYTES = 4096,         /* longest error text handed to the host */
  ENCODE_DEPTH = 16,            /* tables inside tables, going out */
  DECODE_DEPTH = 32,            /* coming in: room for the host's own envelope */
  RAW_HEADER_BYTES = 8,         /* before each block: its serial number */
  BLOCK_CLASSES = 160,          /* blocks of up to 2,544 bytes are kept when freed */
  MOST_DECISIONS = 64,          /* of one call */
  LUASANDBOX_KEYS_MOST = 16384, /* of a table, beside those that count from 1 */
  PIECE_BYTES = 32 * 1024,
  PIECES_MOST = 8,              /* what a prelude and a script of some size take for good */
};

/* Library functions of Lua itself that ours call once they know the work is bounded. */
typedef enum stock_function {
  STOCK_TONUMBER, STOCK_BYTE, STOCK_CHAR, STOCK_LOWER, STOCK_UPPER, STOCK_REVERSE, STOCK_SUB,
  STOCK_REP, STOCK_FORMAT, STOCK_UTF8_LEN, STOCK_UTF8_OFFSET, STOCK_UTF8_CODEPOINT,
  STOCK_UTF8_CHAR, STOCK_UTF8_STEP, STOCK_UTF8_STEP_LAX, STOCK_COUNT,
} stock_function;

/* Where the running call is: an error means something else in each. */
typedef enum phase { PHASE_RUN, PHASE_PARSE, PHASE_DATA } phase;

/* The name a chunk was loaded under, kept to find it at the head of an error text, and what the
 * host compiled of it. */
typedef struct known_file {
  struct known_file *next;
  size_t bytes;
  luasandbox_form form;         /* without bytes: there is none */
  char name[];
} known_file;

/* The arguments of the entry point that runs, for the protected function that serves it. */
typedef struct job {
  lua_CFunction body;
  const char *module;
  const char *file;
  const uint8_t *bytes;
  size_t length;
  uint8_t *lines;               /* for luasandbox_code_lines */
  size_t line_count;
} job;

/* Freed blocks of one size, each with the address of the next in its first bytes. */
typedef struct block_list {
  void *first;
} block_list;

/* Where a decision is in `decided`: first its slot, then its value. */
typedef struct decision {
  uint32_t slot, slot_length, value, value_length;
} decision;

struct luasandbox {
  lua_State *lua;
  luasandbox_limits limits;

  block_list blocks[BLOCK_CLASSES];
  size_t kept_bytes;            /* in them */
  char *pieces[PIECES_MOST];    /* large blocks that the first small ones are cut from */
  int piece_count;
  size_t piece_left;            /* at the end of the last one */
  size_t used;                  /* bytes held from the allocator */
  size_t published;             /* of them, in luasandbox_live_bytes */
  uint64_t serial;              /* counts objects, so that they can be ordered without addresses */

  int64_t fuel;                 /* left of fuel_limit; the same in each run of the same input */
  int64_t fuel_limit;
  int64_t next_look;            /* with this much left the clocks are looked at */
  int64_t work;                 /* left; counts what depends on hash seeds and the collector */
  int64_t spare;                /* nanoseconds left for what takes longer than its fuel says */
  int step;                     /* instructions between two ticks now */
  int64_t last_weighed, cpu_mark, fuel_mark;  /* readings when time was last held against fuel */
  int64_t deadline;             /* CLOCK_MONOTONIC nanoseconds, negative: none */
  luasandbox_status doom;       /* not OK: this run must end, nothing may catch it */
  bool dead;                    /* a doomed state never runs again */
  bool booted;
  phase phase;
  int clock_pause;              /* matcher steps until the clock is read again */
  unsigned tables_walked;       /* for the same while tables are copied or written out */

  job job;
  char place_file[128];         /* where the fault was first seen */
  int place_line;
  char start_file[128];         /* where what runs begins, for faults that no line led to */
  int start_line;
  bool slow_text;               /* the run was ended while a text was compiled */
  known_file *files;
  const char *prelude;          /* name of the prelude's chunk, "" before boot */

  uint8_t *output;              /* the encoded result */
  size_t output_length, output_capacity;
  decision decisions[MOST_DECISIONS];
  size_t decision_count;
  uint8_t *decided;             /* slots and values of the decisions */
  size_t decided_length, decided_capacity;
  uint8_t *scratch;             /* keys being sorted */
  size_t scratch_length, scratch_capacity;
  uint8_t message[MESSAGE_BYTES];
  size_t message_length;

  luasandbox_service service;   /* answers `ask`; NULL: nobody does */
  void *service_context;
  bool asking;                  /* the service runs: this state waits */
  int64_t asked_at, asked_at_cpu;  /* clock readings when it began */

  const char *ran_file;         /* whose lines are noted; NULL: nobody's */
  uint8_t *ran;                 /* whether each of them ran */
  size_t ran_count, ran_capacity;

  uint64_t random[4];
  lua_CFunction stock[STOCK_COUNT];
  size_t fail_at;               /* tests only: refuse the allocation with this number */
  size_t allocations;
};

/* Addresses that serve as registry keys; scripts cannot make light userdata. */
extern const char luasandbox_key_host, luasandbox_key_env, luasandbox_key_dispatcher,
    luasandbox_key_caller,
    luasandbox_key_modules, luasandbox_key_loaded, luasandbox_key_record_meta,
    luasandbox_key_frozen_meta, luasandbox_key_missing, luasandbox_mark_frozen;

static inline luasandbox *luasandbox_of(lua_State *L) {
  return *(luasandbox **)lua_getextraspace(L);
}

/* blocks.c */
void *luasandbox_take_block(luasandbox *box, void *block, size_t old, size_t size);
void luasandbox_give_block(luasandbox *box, void *block, size_t size);
void luasandbox_drop_blocks(luasandbox *box);

/* meter.c */
void *luasandbox_allocate(void *ud, void *block, size_t old_size, size_t new_size);
bool luasandbox_grow(luasandbox *box, uint8_t **block, size_t *capacity, size_t need);
void luasandbox_publish_use(luasandbox *box);
void luasandbox_release(luasandbox *box, uint8_t **block, size_t *capacity);
uint64_t luasandbox_serial(const void *object);
int64_t luasandbox_time(void);
int64_t luasandbox_processor_time(void);
void luasandbox_look_at_clocks(lua_State *L, luasandbox *box);
void luasandbox_hook(lua_State *L, lua_Debug *ar);
void luasandbox_start_meter(luasandbox *box, int64_t fuel);
void luasandbox_start_ticks(luasandbox *box);
void luasandbox_stop_ticks(luasandbox *box);
void luasandbox_start_clocks(luasandbox *box);
void luasandbox_stop_clocks(luasandbox *box);
void luasandbox_restart_clocks(luasandbox *box);
void luasandbox_take_time(luasandbox *box, int64_t taken);
void luasandbox_doom(luasandbox *box, luasandbox_status status);
_Noreturn void luasandbox_raise_doom(lua_State *L, luasandbox_status status);
void luasandbox_check_clock(lua_State *L, luasandbox *box);
void luasandbox_note_place(luasandbox *box);
void luasandbox_renote_place(luasandbox *box);
void luasandbox_set_place(luasandbox *box, const char *file, int line);
void luasandbox_note_start(luasandbox *box, const char *file, int line);
void luasandbox_walk_table(lua_State *L, luasandbox *box);
void luasandbox_walk_key(lua_State *L, luasandbox *box, size_t seen);
void luasandbox_forget_long_strings(luasandbox *box);

void luasandbox_charge_more(lua_State *L, luasandbox *box);

/* Takes fuel and ends the run when there is none. Looks at the clocks now and then, so that no
 * function of ours can be slow unseen, however long it goes on. */
static inline void luasandbox_charge(lua_State *L, luasandbox *box, int64_t amount) {
  box->fuel -= amount;
  if (box->fuel < box->next_look || box->doom != LUASANDBOX_OK) luasandbox_charge_more(L, box);
}

static inline void luasandbox_charge_bytes(lua_State *L, luasandbox *box, size_t bytes) {
  luasandbox_charge(L, box, (int64_t)(bytes / BYTES_PER_FUEL) + 1);
}

/* fault.c */
void luasandbox_say(luasandbox *box, const char *text);
known_file *luasandbox_know_file(luasandbox *box, const char *name);
const char *luasandbox_remember_file(luasandbox *box, const char *name);
luasandbox_status luasandbox_classify(luasandbox *box, int outcome);

/* native_stack.c */
int luasandbox_run_with_stack(luasandbox *box, int (*run)(luasandbox *box));

/* decode.c, encode.c */
void luasandbox_decode(lua_State *L, const uint8_t *bytes, size_t length);
int luasandbox_decode_each(lua_State *L, const uint8_t *bytes, size_t length);
void luasandbox_encode(lua_State *L, int index, const char *name, int around);
void luasandbox_encode_more(lua_State *L, int index, const char *name, int around);
uint8_t *luasandbox_put(lua_State *L, size_t count);

/* record.c: maps that stay encoded */
void luasandbox_push_record(lua_State *L, const uint8_t *bytes, size_t length);
void luasandbox_open_record(lua_State *L, int index);
int luasandbox_record_index(lua_State *L);
int luasandbox_record_link(lua_State *L);
int luasandbox_record_newindex(lua_State *L);

/* decide.c: what a call decided */
void luasandbox_forget_decisions(luasandbox *box);
void luasandbox_add_decisions(lua_State *L);
int luasandbox_decide(lua_State *L);
void luasandbox_put_array_head(lua_State *L, size_t count);

/* ask.c: questions to the host */
int luasandbox_ask(lua_State *L);
int luasandbox_provide(lua_State *L);

/* lines.c: which lines can run, and which did */
void luasandbox_dump_chunk(lua_State *L);
int luasandbox_code_lines_body(lua_State *L);
void luasandbox_note_line(lua_State *L, lua_Debug *ar);

/* tables.c: frozen tables */
bool luasandbox_is_frozen(lua_State *L, int index);
void luasandbox_open_table(lua_State *L, int index);
void luasandbox_freeze(lua_State *L);
void luasandbox_thaw(lua_State *L);
int luasandbox_refuse_write(lua_State *L);
void luasandbox_install_metatables(lua_State *L);
void luasandbox_push_library(lua_State *L, const char *name);

/* order.c: keys in a fixed order */
typedef struct sort_key {
  uint32_t ordinal;
  uint8_t rank;
  union {
    lua_Integer integer;
    lua_Number number;
    uint64_t serial;
    struct {
      const char *bytes;
      size_t length;
    } text;
  } of;
} sort_key;

enum { RANK_INTEGER, RANK_FLOAT, RANK_STRING, RANK_BOOLEAN, RANK_OBJECT };

bool luasandbox_describe_key(lua_State *L, int index, sort_key *key);
void luasandbox_sort_keys(lua_State *L, luasandbox *box, sort_key *keys, size_t count,
                          size_t key_bytes, bool sorted);
int luasandbox_compare_keys(const void *left, const void *right);
int luasandbox_pairs(lua_State *L);
int luasandbox_next(lua_State *L);

/* buffer.c: text under construction, owned by a slot of the Lua stack */
typedef struct text_buffer {
  lua_State *lua;
  luasandbox *box;
  char *bytes;
  size_t length, capacity;
  int slot;
  char first[512];
} text_buffer;

void luasandbox_buffer_start(text_buffer *buffer, lua_State *L);
void luasandbox_buffer_add(text_buffer *buffer, const char *bytes, size_t length);
void luasandbox_buffer_push(text_buffer *buffer);

/* form.c */
const luasandbox_form *luasandbox_form_of(const luasandbox *box, const char *file,
                                          const char *text, size_t length);
int luasandbox_load_form(lua_State *L, const luasandbox_form *form);

/* guard.c: a function, and which of its arguments it reads as numbers */
typedef struct sandbox_function {
  const char *name;
  lua_CFunction function;
  unsigned numbers;
} sandbox_function;

#define READS(argument) (1u << ((argument) - 1))
#define READS_ALL 0xFFFFFFFFu   /* however many there are */

void luasandbox_charge_numeral(lua_State *L, int index);
void luasandbox_push_function(lua_State *L, lua_CFunction function, unsigned numbers);
void luasandbox_add_functions(lua_State *L, const sandbox_function *functions);

/* search.c, text.c, array.c, base.c, host.c, library.c */
extern const sandbox_function luasandbox_match_functions[], luasandbox_text_functions[],
    luasandbox_utf8_functions[], luasandbox_array_functions[], luasandbox_base_functions[],
    luasandbox_math_functions[];
void luasandbox_push_ipairs(lua_State *L);
void luasandbox_push_text(lua_State *L, int index);
void luasandbox_add_arithmetic(lua_State *L);
void luasandbox_seed(luasandbox *box, uint64_t seed);
void luasandbox_install_library(lua_State *L);
void luasandbox_push_host(lua_State *L);

/* compile.c */
int luasandbox_load_text(lua_State *L, const char *file, const char *text, size_t length);

#endif
