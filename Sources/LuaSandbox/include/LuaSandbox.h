/* LuaSandbox: a Lua 5.4 state that cannot hang, crash or own the process.
 *
 * Bytes in, bytes out. Nothing here knows what a network is. Every entry point returns a status;
 * none lets a Lua error (a longjmp) pass to its caller, and no function of the caller's runs while
 * Lua does, but a service that it set: see luasandbox_set_service. One `luasandbox` belongs to one thread at a time.
 *
 * Plain data, the bytes that go in and out. One tag byte, then what belongs to it; numbers are
 * little endian:
 *
 *   0 nil   1 false   2 true   3 integer (8 bytes)   4 float (8 bytes, IEEE 754)
 *   5 string (u32 length, bytes)   6 array (u32 n, n values)
 *   7 map (u32 n, n times key and value; a key is an integer or a string)
 *   8 sized (u32 length, one encoded value), only going in: the value, but it can be passed over
 *   9 record (u32 length, one map with strings for keys), only going in: a read-only table whose
 *     fields are decoded when a script reads them. Entries under the key "" are about the record:
 *     a string is its kind, and a sized map, as the last entry, has more of its fields. Of two
 *     fields of one name the first counts
 *
 * Maps come out sorted, integers first, then strings bytewise: equal values have equal bytes. A
 * table with just the keys 1 to n comes out as an array, an empty one as a map. Cycles, more than
 * 16 nested tables, functions, not-a-number, infinities and other keys are refused with their path.
 *
 * Fuel: one unit is about one instruction of Lua or 32 bytes of new strings, tables and closures. A
 * run uses the same amount in every process. One that uses all of it reports all of it.
 *
 * Time: what a run takes beyond what its fuel stands for – compiling texts, steps on strings of a
 * megabyte – is limited as well, to a quarter of a second of processor time at most (or the
 * deadline, if that is longer). It is then out of fuel, or while it compiled, out of time.
 */
#ifndef LUASANDBOX_H
#define LUASANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct luasandbox luasandbox;

/* What a state may use. Zero means the default in parentheses. */
typedef struct luasandbox_limits {
  size_t memory_bytes;      /* all of the state's memory (8 MiB) */
  size_t block_bytes;       /* one allocation: caps every string, array and stack growth (1 MiB) */
  int64_t deadline_ns;      /* wall time of one call, CLOCK_MONOTONIC (250 ms); negative: none */
  size_t source_bytes;      /* one chunk of source text (256 KiB) */
  size_t result_bytes;      /* one encoded result (1 MiB) */
} luasandbox_limits;

typedef enum luasandbox_status {
  LUASANDBOX_OK = 0,
  LUASANDBOX_ERROR,         /* the script raised an error */
  LUASANDBOX_FUEL,          /* it used up its fuel */
  LUASANDBOX_DEADLINE,      /* it ran longer than deadline_ns, or takes too long to compile */
  LUASANDBOX_MEMORY,        /* it asked for more memory than it may have */
  LUASANDBOX_SYNTAX,        /* the text is not Lua 5.4, is bytecode, or is too long */
  LUASANDBOX_DATA,          /* input or result is not plain data (see codec below) or too large */
} luasandbox_status;

/* After FUEL, DEADLINE or MEMORY a state has been stopped half-way and never runs again: every
 * later call is an ERROR. Destroy it, make a new one.
 *
 * The outcome of one call. `bytes` is the encoded result when status is OK, else a message of at
 * most 4 KiB (not NUL terminated). It stays valid until the next call on this sandbox. */
typedef struct luasandbox_result {
  luasandbox_status status;
  const uint8_t *bytes;
  size_t length;
  char file[128];           /* where the error was raised; "" when not known */
  int line;                 /* 0 when not known: then no text of a script was being run */
  int64_t fuel_used;
  size_t memory_used;
} luasandbox_result;

luasandbox *luasandbox_create(const luasandbox_limits *limits);
void luasandbox_destroy(luasandbox *sandbox);

/* Runs the host's own (trusted) prelude with one argument, the table of host functions, and keeps
 * the function it returns as the dispatcher of luasandbox_call; a second one serves requests that
 * begin with a seed. Once per state, before load and call. A prelude has 5,000,000 units of fuel. */
luasandbox_status luasandbox_boot(luasandbox *sandbox, const char *name, const uint8_t *source,
                                  size_t length, luasandbox_result *result);

/* Makes `require "name"` in scripts run this text (once, in the scripts' environment). */
luasandbox_status luasandbox_add_module(luasandbox *sandbox, const char *module, const char *file,
                                        const uint8_t *source, size_t length);

/* Compiles and runs an untrusted chunk in the allow-listed environment with `fuel`; what it returns
 * becomes host.chunk for the prelude. Its source text is kept as host.source. */
luasandbox_status luasandbox_load(luasandbox *sandbox, const char *file, const uint8_t *source,
                                  size_t length, int64_t fuel, luasandbox_result *result);

/* Decodes `input`, an array of at most 32 arguments, calls the dispatcher with them, and encodes an
 * array of three: the first two values that it returns, and the decisions of the call in order.
 *
 * When the first argument is an integer and the prelude has a second function, that one is called
 * instead: the integer seeds math.random, and no instruction is counted but in host.run. */
luasandbox_status luasandbox_call(luasandbox *sandbox, const uint8_t *input, size_t length,
                                  int64_t fuel, luasandbox_result *result);

/* What a service answers: plain data, or when it refuses, the text of the error to raise. The bytes
 * stay its own until it is asked again. */
typedef struct luasandbox_reply {
  const uint8_t *bytes;
  size_t length;
} luasandbox_reply;

/* Answers one question, an array of plain data. False: an error is raised where it was asked. */
typedef bool (*luasandbox_service)(void *context, const uint8_t *question, size_t length,
                                   luasandbox_reply *reply);

/* Who answers `host.ask(…)` of the prelude. The question is read and the answer given with no Lua
 * at work in between; the time it takes does not count against the deadline, and no fuel. Meanwhile
 * every call of this sandbox is refused, and it must not be destroyed; others may run. */
void luasandbox_set_service(luasandbox *sandbox, luasandbox_service service, void *context);

/* Compiles a text, so that other states need not. The prelude's form is given to luasandbox_boot in
 * place of its text, that of a script or module to luasandbox_give_form. Bytes of any other origin
 * must never be. `fuel_used` is what it takes to load the text. Before boot only. */
luasandbox_status luasandbox_compile(luasandbox *sandbox, const char *name, const uint8_t *source,
                                     size_t length, luasandbox_result *result);

/* A text and the form in which luasandbox_compile of this very process wrote it. */
typedef struct luasandbox_form {
  const uint8_t *source;
  size_t source_length;
  const uint8_t *bytes;
  size_t length;
  int64_t fuel;             /* what loading the text takes, and so the form */
} luasandbox_form;

/* Wherever this file is loaded or required from now on, its form takes the place of the text, if
 * that is the same byte by byte; nobody can tell them apart but by the time. The bytes must stay
 * where they are as long as the sandbox is there. */
void luasandbox_give_form(luasandbox *sandbox, const char *file, const luasandbox_form *form);

/* From now on notes which lines of this file run. */
luasandbox_status luasandbox_note_lines(luasandbox *sandbox, const char *file);

/* Of each line from the first on whether it ran; how many are known, the rest did not. The bytes
 * stay valid until the next call on this sandbox. */
size_t luasandbox_ran_lines(const luasandbox *sandbox, const uint8_t **lines);

/* Sets a byte for each line of this text that has something to run. The last return of a function,
 * which stands at its `end`, does not count. */
luasandbox_status luasandbox_code_lines(luasandbox *sandbox, const char *file,
                                        const uint8_t *source, size_t length, uint8_t *lines,
                                        size_t count, luasandbox_result *result);

/* The patch release of the Lua that this was built with, such as "5.4.4". */
const char *luasandbox_lua_release(void);

/* Bytes that all sandboxes of this process hold from their allocator, as of the end of their last
 * calls: zero when none is left. */
size_t luasandbox_live_bytes(void);

/* For tests: how many destroyed sandboxes did not give back exactly what they had taken. */
size_t luasandbox_unbalanced(void);

/* For tests: in each call from now on, the allocation with this number and all later ones fail
 * (numbers start at 1; 0: none do). */
void luasandbox_fail_allocation(luasandbox *sandbox, size_t number);

#endif
