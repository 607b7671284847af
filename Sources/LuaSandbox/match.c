/* Lua patterns, as section 6.4.1 of the Lua 5.4 manual defines them, with fuel.
 *
 * Lua's own matcher can run for years on a short pattern and no hook fires meanwhile. This one
 * takes a step of fuel wherever it looks at a character of the subject or of a set: also inside
 * sets, %b and repetitions, where a single step of the outer loop can be as long as the subject.
 */
#include "match.h"

#include <ctype.h>
#include <string.h>

enum {
  MOST_DEPTH = 200,
  CAPTURE_OPEN = -1,
  CAPTURE_POSITION = -2,
  STEPS_PER_FUEL = 4,           /* a step is a few nanoseconds, an instruction of Lua about four */
  CLOCK_STEPS = 4096,
};

static const char *match_here(matcher *m, const char *s, const char *p);

void luasandbox_match_pay(matcher *m) {
  luasandbox *box = m->box;
  int steps = m->steps;
  m->steps = 0;
  luasandbox_charge(m->lua, box, steps / STEPS_PER_FUEL + 1);
  box->clock_pause -= steps;
  if (box->clock_pause <= 0) {
    box->clock_pause = CLOCK_STEPS;
    luasandbox_check_clock(m->lua, box);
  }
}

static int fail(matcher *m, const char *why) { return luaL_error(m->lua, "%s", why); }

/* ---- single characters ---- */

static bool in_class(int c, int class) {
  bool in;
  switch (tolower(class)) {
    case 'a': in = isalpha(c); break;
    case 'c': in = iscntrl(c); break;
    case 'd': in = isdigit(c); break;
    case 'g': in = isgraph(c); break;
    case 'l': in = islower(c); break;
    case 'p': in = ispunct(c); break;
    case 's': in = isspace(c); break;
    case 'u': in = isupper(c); break;
    case 'w': in = isalnum(c); break;
    case 'x': in = isxdigit(c); break;
    case 'z': in = c == '\0'; break;   /* no longer in the manual, still in Lua */
    default: return class == c;
  }
  return isupper(class) ? !in : in;
}

/* The end of the single-character class that starts at `p`. */
static const char *class_end(matcher *m, const char *p) {
  char first = *p++;
  if (first == '%') {
    if (p == m->pattern_end) fail(m, "malformed pattern (ends with '%')");
    return p + 1;
  }
  if (first != '[') return p;
  if (*p == '^') p++;
  do {                          /* a ']' in first place is an ordinary character */
    luasandbox_match_tread(m);
    if (p == m->pattern_end) fail(m, "malformed pattern (missing ']')");
    if (*p++ == '%' && p < m->pattern_end) p++;
  } while (*p != ']');          /* a NUL follows the pattern, so the end is not missed */
  return p + 1;
}

/* `p` is at '[', `last` at the ']' that closes the set. */
static bool in_set(matcher *m, int c, const char *p, const char *last) {
  bool wanted = true;
  if (p[1] == '^') {
    wanted = false;
    p++;
  }
  while (++p < last) {
    luasandbox_match_tread(m);
    if (*p == '%') {
      p++;
      if (in_class(c, (unsigned char)*p)) return wanted;
    } else if (p[1] == '-' && p + 2 < last) {
      if ((unsigned char)p[0] <= c && c <= (unsigned char)p[2]) return wanted;
      p += 2;
    } else if ((unsigned char)*p == c) {
      return wanted;
    }
  }
  return !wanted;
}

static bool single(matcher *m, const char *s, const char *p, const char *end) {
  if (s >= m->subject_end) return false;
  luasandbox_match_tread(m);
  int c = (unsigned char)*s;
  switch (*p) {
    case '.': return true;
    case '%': return in_class(c, (unsigned char)p[1]);
    case '[': return in_set(m, c, p, end - 1);
    default: return (unsigned char)*p == c;
  }
}

/* ---- items ---- */

static const char *match_balance(matcher *m, const char *s, const char *p) {
  if (p >= m->pattern_end - 1) fail(m, "malformed pattern (missing arguments to '%b')");
  if (s >= m->subject_end || *s != *p) return NULL;
  int nesting = 1;
  char open = p[0], close = p[1];
  while (++s < m->subject_end) {
    luasandbox_match_tread(m);
    if (*s == close) {
      if (--nesting == 0) return s + 1;
    } else if (*s == open) {
      nesting++;
    }
  }
  return NULL;
}

static const char *match_most(matcher *m, const char *s, const char *p, const char *end) {
  ptrdiff_t count = 0;
  while (single(m, s + count, p, end)) count++;
  for (; count >= 0; count--) {
    luasandbox_match_tread(m);
    const char *found = match_here(m, s + count, end + 1);
    if (found != NULL) return found;
  }
  return NULL;
}

static const char *match_least(matcher *m, const char *s, const char *p, const char *end) {
  for (;;) {
    luasandbox_match_tread(m);
    const char *found = match_here(m, s, end + 1);
    if (found != NULL) return found;
    if (!single(m, s, p, end)) return NULL;
    s++;
  }
}

static const char *open_capture(matcher *m, const char *s, const char *p, int what) {
  if (m->level >= MOST_CAPTURES) fail(m, "too many captures");
  m->capture[m->level].start = s;
  m->capture[m->level].length = what;
  m->level++;
  const char *found = match_here(m, s, p);
  if (found == NULL) m->level--;
  return found;
}

static const char *close_capture(matcher *m, const char *s, const char *p) {
  int level = m->level - 1;
  while (level >= 0 && m->capture[level].length != CAPTURE_OPEN) level--;
  if (level < 0) fail(m, "invalid pattern capture");
  m->capture[level].length = s - m->capture[level].start;
  const char *found = match_here(m, s, p);
  if (found == NULL) m->capture[level].length = CAPTURE_OPEN;
  return found;
}

static const char *match_back(matcher *m, const char *s, int digit) {
  int level = digit - '1';
  if (level < 0 || level >= m->level || m->capture[level].length == CAPTURE_OPEN)
    luaL_error(m->lua, "invalid capture index %%%d", level + 1);
  /* A position capture counts as longer than any subject, as in Lua's own matcher. */
  size_t length = (size_t)m->capture[level].length;
  if ((size_t)(m->subject_end - s) < length) return NULL;
  m->steps += (int)(length / 64);
  luasandbox_match_tread(m);
  return memcmp(m->capture[level].start, s, length) == 0 ? s + length : NULL;
}

static bool at_frontier(matcher *m, const char *s, const char *p, const char *end) {
  int before = s == m->subject ? '\0' : (unsigned char)s[-1];
  int after = s < m->subject_end ? (unsigned char)*s : '\0';
  return !in_set(m, before, p, end - 1) && in_set(m, after, p, end - 1);
}

/* One class and what may follow it. True: go on at *s and *p. False: *s is the outcome. */
static bool match_class(matcher *m, const char **s, const char **p) {
  const char *end = class_end(m, *p);
  char suffix = end < m->pattern_end ? *end : '\0';
  if (!single(m, *s, *p, end)) {
    bool optional = suffix == '*' || suffix == '?' || suffix == '-';
    if (optional) *p = end + 1;
    else *s = NULL;
    return optional;
  }
  const char *found;
  switch (suffix) {
    case '+': *s = match_most(m, *s + 1, *p, end); return false;
    case '*': *s = match_most(m, *s, *p, end); return false;
    case '-': *s = match_least(m, *s, *p, end); return false;
    case '?':
      found = match_here(m, *s + 1, end + 1);
      if (found != NULL) *s = found;
      else *p = end + 1;
      return found == NULL;
    default:
      ++*s;
      *p = end;
      return true;
  }
}

/* The items that start with '%': as match_class. `handled` is false for one that is a class. */
static bool match_escape(matcher *m, const char **s, const char **p, bool *handled) {
  *handled = true;
  char kind = *p + 1 < m->pattern_end ? (*p)[1] : '\0';
  if (kind == 'b') {
    *s = match_balance(m, *s, *p + 2);
    *p += 4;
    return *s != NULL;
  }
  if (kind == 'f') {
    const char *set = *p + 2;
    if (set >= m->pattern_end || *set != '[') fail(m, "missing '[' after '%f' in pattern");
    const char *end = class_end(m, set);
    *p = end;
    if (!at_frontier(m, *s, set, end)) *s = NULL;
    return *s != NULL;
  }
  if (kind >= '0' && kind <= '9') {
    *s = match_back(m, *s, kind);
    *p += 2;
    return *s != NULL;
  }
  *handled = false;
  return true;
}

static const char *match_here(matcher *m, const char *s, const char *p) {
  if (m->depth-- == 0) fail(m, "pattern too complex");
  bool go_on = true;
  while (go_on && p != m->pattern_end) {
    luasandbox_match_tread(m);
    bool handled = false;
    if (*p == '(') {
      bool position = p + 1 < m->pattern_end && p[1] == ')';
      s = position ? open_capture(m, s, p + 2, CAPTURE_POSITION)
                   : open_capture(m, s, p + 1, CAPTURE_OPEN);
      break;
    }
    if (*p == ')') {
      s = close_capture(m, s, p + 1);
      break;
    }
    if (*p == '$' && p + 1 == m->pattern_end) {
      if (s != m->subject_end) s = NULL;
      break;
    }
    if (*p == '%') go_on = match_escape(m, &s, &p, &handled);
    if (!handled) go_on = match_class(m, &s, &p);
  }
  m->depth++;
  return s;
}

const char *luasandbox_match_from(matcher *m, const char *s, const char *p) {
  m->level = 0;
  m->depth = MOST_DEPTH;
  return match_here(m, s, p);
}

/* ---- captures ---- */

const char *luasandbox_match_capture(matcher *m, int i, const char *s, const char *e,
                                     size_t *length) {
  if (i >= m->level) {
    if (i != 0) luaL_error(m->lua, "invalid capture index %%%d", i + 1);
    *length = (size_t)(e - s);
    return s;
  }
  ptrdiff_t held = m->capture[i].length;
  if (held == CAPTURE_OPEN) fail(m, "unfinished capture");
  if (held == CAPTURE_POSITION) {
    lua_pushinteger(m->lua, m->capture[i].start - m->subject + 1);
    return NULL;
  }
  *length = (size_t)held;
  return m->capture[i].start;
}

void luasandbox_match_push(matcher *m, int i, const char *s, const char *e) {
  size_t length = 0;
  const char *bytes = luasandbox_match_capture(m, i, s, e, &length);
  if (bytes != NULL) lua_pushlstring(m->lua, bytes, length);
}

int luasandbox_match_push_all(matcher *m, const char *s, const char *e) {
  int count = m->level == 0 && s != NULL ? 1 : m->level;
  luaL_checkstack(m->lua, count, "too many captures");
  for (int i = 0; i < count; i++) luasandbox_match_push(m, i, s, e);
  return count;
}

void luasandbox_match_prepare(matcher *m, lua_State *L, const char *s, size_t ls, const char *p,
                              size_t lp) {
  m->lua = L;
  m->box = luasandbox_of(L);
  m->subject = s;
  m->subject_end = s + ls;
  m->pattern_end = p + lp;
  m->steps = 0;
  m->level = 0;
  m->depth = MOST_DEPTH;
}
