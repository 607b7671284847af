/* string.find, match, gmatch and gsub, on the matcher of match.c. */
#include "match.h"

#include <string.h>

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
    luasandbox_match_tread(m);
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
  luasandbox_match_prepare(&m, L, s, ls, p, lp);
  if (find && (lua_toboolean(L, 4) || !has_specials(&m, p, lp))) {
    const char *found = find_plain(&m, s + offset, p, lp);
    luasandbox_match_pay(&m);
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
    const char *end = luasandbox_match_from(&m, from, p + anchor);
    if (end != NULL) {
      luasandbox_match_pay(&m);
      if (!find) return luasandbox_match_push_all(&m, from, end);
      lua_pushinteger(L, from - s + 1);
      lua_pushinteger(L, end - s);
      return luasandbox_match_push_all(&m, NULL, NULL) + 2;
    }
  } while (from++ < m.subject_end && !anchor);
  luasandbox_match_pay(&m);
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
  luasandbox_match_prepare(&m, L, s, ls, p, lp);
  for (; offset <= (lua_Integer)ls; offset++) {
    const char *end = luasandbox_match_from(&m, s + offset, p);
    if (end == NULL || end - s == last) continue;
    luasandbox_match_pay(&m);
    lua_pushinteger(L, end - s);
    lua_copy(L, -1, lua_upvalueindex(3));
    lua_replace(L, lua_upvalueindex(4));
    return luasandbox_match_push_all(&m, s + offset, end);
  }
  luasandbox_match_pay(&m);
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
  const char *bytes = luasandbox_match_capture(m, i, s, e, &length);
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
    luasandbox_match_tread(m);
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
  luasandbox_match_pay(m);
  if (kind == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    lua_call(L, luasandbox_match_push_all(m, s, e), 1);
  } else {
    luasandbox_match_push(m, 0, s, e);
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
  luasandbox_match_prepare(&m, L, s, ls, p, lp - anchor);
  text_buffer out;
  lua_settop(L, 4);
  luasandbox_buffer_start(&out, L);
  while (count < most) {
    const char *end = luasandbox_match_from(&m, s, p);
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
  luasandbox_match_pay(&m);
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

const sandbox_function luasandbox_match_functions[] = {
  {"find", text_find, READS(3)}, {"match", text_match, READS(3)},
  {"gmatch", text_gmatch, READS(3)}, {"gsub", text_gsub, READS(4)}, {NULL, NULL, 0},
};
