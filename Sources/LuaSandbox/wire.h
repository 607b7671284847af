/* Reading plain data: every length is checked before it is believed. */
#ifndef LUASANDBOX_WIRE_H
#define LUASANDBOX_WIRE_H

#include "internal.h"
#include "tags.h"

#include <string.h>

typedef struct reader {
  lua_State *lua;
  const uint8_t *start, *next, *end;
} reader;

/* decode.c */
void luasandbox_malformed(const reader *in, const char *why);
void luasandbox_read_value(reader *in, int depth);
void luasandbox_skip_value(reader *in, int depth);

static inline size_t left(const reader *in) { return (size_t)(in->end - in->next); }

static inline const uint8_t *take(reader *in, size_t count) {
  if (left(in) < count) luasandbox_malformed(in, "it ends too early");
  const uint8_t *bytes = in->next;
  in->next += count;
  return bytes;
}

static inline uint32_t read_count(reader *in) {
  const uint8_t *b = take(in, 4);
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t read_word(reader *in) {
  const uint8_t *b = take(in, 8);
  uint64_t word = 0;
  for (int i = 7; i >= 0; i--) word = word << 8 | b[i];
  return word;
}

#endif
