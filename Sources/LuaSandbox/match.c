/* Lua patterns, as section 6.4.1 of the Lua 5.4 manual defines them, with fuel.
 *
 * Lua's own matcher can run for years on a short pattern and no hook fires meanwhile. This one takes
 * a step of fuel wherever it looks at a character of the subject or of a set: also inside sets, %b
 * and repetitions, where a single step of the outer loop can be as long as the subject.
 */
#include "internal.h"

#include <ctype.h>
#include <string.h>

enum {
  MOST_CAPTURES = 32,
  MOST_DEPTH = 200,
  CAPTURE_OPEN = -1,
  CAPTURE_POSITION = -2,
  STEPS_PER_FUEL = 4,           /* a step is a few nanoseconds, an instruction of Lua about four */
  CLOCK_STEPS = 4096,
};

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

static const char *match_here(matcher *m, const char *s, const char *p);

static void pay(matcher *m) {
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

static inline void tread(matcher *m) {
  if (++m->steps >= 64) pay(m);
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
    tread(m);
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
    tread(m);
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
  tread(m);
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
    tread(m);
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
    tread(m);
    const char *found = match_here(m, s + count, end + 1);
    if (found != NULL) return found;
  }
  return NULL;
}

static const char *match_least(matcher *m, const char *s, const char *p, const char *end) {
  for (;;) {
    tread(m);
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
  tread(m);
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

/* The items that start with '%' but are not a class: as match_class; `handled` false if it is one. */
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
    tread(m);
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

static const char *match_from(matcher *m, const char *s, const char *p) {
  m->level = 0;
  m->depth = MOST_DEPTH;
  return match_here(m, s, p);
}

/* ---- captures ---- */

/* The bytes of a capture, or NULL when it is a position, then pushed. */
static const char *get_capture(matcher *m, int i, const char *s, const char *e, size_t *length) {
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

static void push_capture(matcher *m, int i, const char *s, const char *e) {
  size_t length = 0;
  const char *bytes = get_capture(m, i, s, e, &length);
  if (bytes != NULL) lua_pushlstring(m->lua, bytes, length);
}

/* All captures, or the whole match when there are none and `s` is given. */
static int push_captures(matcher *m, const char *s, const char *e) {
  int count = m->level == 0 && s != NULL ? 1 : m->level;
  luaL_checkstack(m->lua, count, "too many captures");
  for (int i = 0; i < count; i++) push_capture(m, i, s, e);
  return count;
}

static void prepare(matcher *m, lua_State *L, const char *s, size_t ls, const char *p, size_t lp) {
  m->lua = L;
  m->box = luasandbox_of(L);
  m->subject = s;
  m->subject_end = s + ls;
  m->pattern_end = p + lp;
  m->steps = 0;
  m->level = 0;
  m->depth = MOST_DEPTH;
}

/* ---- find, match ---- */

static size_t start_offset(lua_Integer init, size_t length) {
  if (init > 0) return (size_t)init - 1;
  if (init == 0 || init < -(lua_Integer)length) return 0;
  return length - (size_t)(-init);
}

static const char *find_plain(matcher *m, const char *s, const char *p, size_t lp) {
  if (lp == 0) return s;
  while ((size_t)(m->subject_end - s) >= lp) {
    size_t room = (size_t)(m->subject_end - s) - lp + 1;
    const char *candidate = memchr(s, p[0], room);
    m->steps += (int)((candidate == NULL ? room : (size_t)(candidate - s)) / 16);
    tread(m);
    if (candidate == NULL) return NULL;
    m->steps += (int)(lp / 16);
    if (memcmp(candidate, p, lp) == 0) return candidate;
    s = candidate + 1;
  }
  return NULL;
}

static bool has_specials(matcher *m, const char *p, size_t lp) {
  luasandbox_charge_bytes(m->lua, m->box, lp);
  for (size_t i = 0; i < lp; i++)
    if (p[i] != '\0' && strchr("^$*+?.([%-", p[i]) != NULL) return true;
  return false;
}

static int search(lua_State *L, bool find) {
  size_t ls, lp;
  const char *s = luaL_checklstring(L, 1, &ls), *p = luaL_checklstring(L, 2, &lp);
  size_t offset = start_offset(luaL_optinteger(L, 3, 1), ls);
  if (offset > ls) {
    luaL_pushfail(L);
    return 1;
  }
  matcher m;
  prepare(&m, L, s, ls, p, lp);
  if (find && (lua_toboolean(L, 4) || !has_specials(&m, p, lp))) {
    const char *found = find_plain(&m, s + offset, p, lp);
    pay(&m);
    if (found != NULL) {
      lua_pushinteger(L, found - s + 1);
      lua_pushinteger(L, found - s + (lua_Integer)lp);
      return 2;
    }
    luaL_pushfail(L);
    return 1;
  }
  bool anchor = lp > 0 && *p == '^';
  const char *from = s + offset;
  do {
    const char *end = match_from(&m, from, p + anchor);
    if (end != NULL) {
      pay(&m);
      if (!find) return push_captures(&m, from, end);
      lua_pushinteger(L, from - s + 1);
      lua_pushinteger(L, end - s);
      return push_captures(&m, NULL, NULL) + 2;
    }
  } while (from++ < m.subject_end && !anchor);
  pay(&m);
  luaL_pushfail(L);
  return 1;
}

static int text_find(lua_State *L) { return search(L, true); }
static int text_match(lua_State *L) { return search(L, false); }

/* ---- gmatch: upvalues subject, pattern, offset of the next try, end of the last match ---- */

static int gmatch_step(lua_State *L) {
  size_t ls, lp;
  const char *s = lua_tolstring(L, lua_upvalueindex(1), &ls);
  const char *p = lua_tolstring(L, lua_upvalueindex(2), &lp);
  lua_Integer offset = lua_tointeger(L, lua_upvalueindex(3));
  lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
  matcher m;
  prepare(&m, L, s, ls, p, lp);
  for (; offset <= (lua_Integer)ls; offset++) {
    const char *end = match_from(&m, s + offset, p);
    if (end == NULL || end - s == last) continue;
    pay(&m);
    lua_pushinteger(L, end - s);
    lua_copy(L, -1, lua_upvalueindex(3));
    lua_replace(L, lua_upvalueindex(4));
    return push_captures(&m, s + offset, end);
  }
  pay(&m);
  return 0;
}

static int text_gmatch(lua_State *L) {
  size_t ls;
  luaL_checklstring(L, 1, &ls);
  luaL_checkstring(L, 2);
  size_t offset = start_offset(luaL_optinteger(L, 3, 1), ls);
  if (offset > ls) offset = ls + 1;
  lua_settop(L, 2);
  lua_pushinteger(L, (lua_Integer)offset);
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, gmatch_step, 4);
  return 1;
}

/* ---- gsub ---- */

static void add_capture(matcher *m, text_buffer *out, int i, const char *s, const char *e) {
  size_t length = 0;
  const char *bytes = get_capture(m, i, s, e, &length);
  if (bytes == NULL) bytes = lua_tolstring(m->lua, -1, &length);
  luasandbox_charge_bytes(m->lua, m->box, length);
  luasandbox_buffer_add(out, bytes, length);
  lua_settop(m->lua, out->slot);
}

static void add_template(matcher *m, text_buffer *out, const char *s, const char *e) {
  size_t length;
  const char *r = lua_tolstring(m->lua, 3, &length), *end = r + length;
  luasandbox_charge_bytes(m->lua, m->box, length);
  while (r < end) {
    const char *escape = memchr(r, '%', (size_t)(end - r));
    if (escape == NULL) escape = end;
    luasandbox_buffer_add(out, r, (size_t)(escape - r));
    if (escape == end) return;
    char c = escape[1];         /* a NUL when the template ends here */
    r = escape + 2;
    tread(m);
    if (c == '%') {
      luasandbox_buffer_add(out, "%", 1);
    } else if (c == '0') {
      luasandbox_buffer_add(out, s, (size_t)(e - s));
    } else if (c >= '1' && c <= '9') {
      add_capture(m, out, c - '1', s, e);
    } else {
      luaL_error(m->lua, "invalid use of '%%' in replacement string");
    }
  }
}

/* Adds what stands for the match s..e; says whether that differs from it. */
static bool add_replacement(matcher *m, text_buffer *out, int kind, const char *s, const char *e) {
  lua_State *L = m->lua;
  if (kind == LUA_TNUMBER || kind == LUA_TSTRING) {
    add_template(m, out, s, e);
    return true;
  }
  pay(m);
  if (kind == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    lua_call(L, push_captures(m, s, e), 1);
  } else {
    push_capture(m, 0, s, e);
    lua_gettable(L, 3);
  }
  if (!lua_toboolean(L, -1)) {
    lua_settop(L, out->slot);
    luasandbox_buffer_add(out, s, (size_t)(e - s));
    return false;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  size_t length;
  const char *bytes = lua_tolstring(L, -1, &length);
  luasandbox_charge_bytes(L, m->box, length);
  luasandbox_buffer_add(out, bytes, length);
  lua_settop(L, out->slot);
  return true;
}

static int text_gsub(lua_State *L) {
  size_t ls, lp;
  const char *s = luaL_checklstring(L, 1, &ls), *p = luaL_checklstring(L, 2, &lp), *last = NULL;
  int kind = lua_type(L, 3);
  lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)ls + 1), count = 0;
  luaL_argexpected(L, kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION ||
                          kind == LUA_TTABLE, 3, "string/function/table");
  if (kind == LUA_TNUMBER) lua_tolstring(L, 3, NULL);
  bool anchor = lp > 0 && *p == '^', changed = false;
  p += anchor;
  matcher m;
  prepare(&m, L, s, ls, p, lp - anchor);
  text_buffer out;
  lua_settop(L, 4);
  luasandbox_buffer_start(&out, L);
  while (count < most) {
    const char *end = match_from(&m, s, p);
    if (end != NULL && end != last) {
      count++;
      changed |= add_replacement(&m, &out, kind, s, end);
      s = last = end;
    } else if (s < m.subject_end) {
      luasandbox_buffer_add(&out, s++, 1);
    } else {
      break;
    }
    if (anchor) break;
  }
  pay(&m);
  if (changed) {
    luasandbox_charge_bytes(L, m.box, (size_t)(m.subject_end - s));
    luasandbox_buffer_add(&out, s, (size_t)(m.subject_end - s));
    luasandbox_buffer_push(&out);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, count);
  return 2;
}

const luaL_Reg luasandbox_match_functions[] = {
  {"find", text_find}, {"match", text_match}, {"gmatch", text_gmatch}, {"gsub", text_gsub},
  {NULL, NULL},
};
