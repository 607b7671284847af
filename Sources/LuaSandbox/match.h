/* The pattern matcher, for the functions that search with it. */
#ifndef LUASANDBOX_MATCH_H
#define LUASANDBOX_MATCH_H

#include "internal.h"

enum { MOST_CAPTURES = 32 };

typedef struct matcher {
  lua_State *lua;
  luasandbox *box;
  const char *subject, *subject_end, *pattern_end;
  int depth;
  int steps;                    /* taken since fuel was last charged */
  int level;
  struct {
    const char *start;
    ptrdiff_t length;
  } capture[MOST_CAPTURES];
} matcher;

/* Takes the fuel for the steps since the last time. */
void luasandbox_match_pay(matcher *m);

static inline void luasandbox_match_tread(matcher *m) {
  if (++m->steps >= 64) luasandbox_match_pay(m);
}

void luasandbox_match_prepare(matcher *m, lua_State *L, const char *s, size_t ls, const char *p,
                              size_t lp);
/* The end of a match of the pattern that begins at `p`, exactly at `s`; NULL: there is none. */
const char *luasandbox_match_from(matcher *m, const char *s, const char *p);
/* The bytes of a capture, or NULL when it is a position, then pushed. */
const char *luasandbox_match_capture(matcher *m, int i, const char *s, const char *e,
                                     size_t *length);
void luasandbox_match_push(matcher *m, int i, const char *s, const char *e);
/* Pushes all captures, or the whole match when there are none and `s` is given. */
int luasandbox_match_push_all(matcher *m, const char *s, const char *e);

#endif
