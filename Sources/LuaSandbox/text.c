/* The string and utf8 libraries: Lua's own functions, once the work they will do is paid for. */
#include "internal.h"

#include <string.h>

enum { SCANNED_PER_FUEL = 8 };  /* bytes that a function looks at one by one */

static int stock(lua_State *L, stock_function which) {
  return luasandbox_of(L)->stock[which](L);
}

/* Charges for the string at argument 1, if it is one, and for looking at each byte of it. */
static void charge_scan(lua_State *L) {
  size_t length = 0;
  if (lua_type(L, 1) == LUA_TSTRING) lua_tolstring(L, 1, &length);
  luasandbox_charge(L, luasandbox_of(L), (int64_t)(length / SCANNED_PER_FUEL) + 1);
}

static int text_lower(lua_State *L) { charge_scan(L); return stock(L, STOCK_LOWER); }
static int text_upper(lua_State *L) { charge_scan(L); return stock(L, STOCK_UPPER); }
static int text_reverse(lua_State *L) { charge_scan(L); return stock(L, STOCK_REVERSE); }

static int text_sub(lua_State *L) {
  luasandbox_charge(L, luasandbox_of(L), 1);
  return stock(L, STOCK_SUB);   /* the copy is charged by the allocator */
}

/* Refuses early what could never fit on the stack: asking for it would cost a full collection. */
static void check_span(lua_State *L, lua_Integer first, lua_Integer last, size_t length) {
  luasandbox *box = luasandbox_of(L);
  if (first < 0) first += (lua_Integer)length + 1;
  if (last < 0) last = (lua_Integer)length + last + 1;
  if (first < 1) first = 1;
  if (last > (lua_Integer)length) last = (lua_Integer)length;
  if (first > last) return;
  if ((size_t)(last - first) >= box->limits.block_bytes / 32)
    luaL_error(L, "string slice too long");
  luasandbox_charge(L, box, last - first + 1);
}

static int text_byte(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  lua_Integer first = luaL_optinteger(L, 2, 1);
  check_span(L, first, luaL_optinteger(L, 3, first), length);
  return stock(L, STOCK_BYTE);
}

static int text_char(lua_State *L) {
  luasandbox_charge(L, luasandbox_of(L), lua_gettop(L));
  return stock(L, STOCK_CHAR);
}

static int text_len(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  lua_pushinteger(L, (lua_Integer)length);
  return 1;
}

static int text_rep(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  size_t length, gap;
  luaL_checklstring(L, 1, &length);
  lua_Integer count = luaL_checkinteger(L, 2);
  luaL_optlstring(L, 3, "", &gap);
  if (count <= 0 || length + gap == 0) {
    lua_pushliteral(L, "");     /* Lua's own would count all the way through nothing */
    return 1;
  }
  if ((uint64_t)count > box->limits.block_bytes / (length + gap))
    return luaL_error(L, "resulting string too large");
  luasandbox_charge_bytes(L, box, (length + gap) * (size_t)count);
  return stock(L, STOCK_REP);
}

/* Makes each argument of a %s a string first (without addresses) and refuses %p. */
static int text_format(lua_State *L) {
  size_t length;
  const char *format = luaL_checklstring(L, 1, &length), *end = format + length;
  int argument = 1, top = lua_gettop(L);
  luasandbox_charge(L, luasandbox_of(L), (int64_t)(length / SCANNED_PER_FUEL) + 1);
  while (format < end) {
    if (*format++ != '%') continue;
    if (*format == '%') {
      format++;
      continue;
    }
    format += strspn(format, "-+ #0123456789.");
    if (*format == 'p') return luaL_error(L, "'%%p' is not available: addresses stay hidden");
    if (++argument > top) break;
    if (lua_type(L, argument) == LUA_TSTRING) {
      size_t bytes;
      lua_tolstring(L, argument, &bytes);
      luasandbox_charge(L, luasandbox_of(L),
                        (int64_t)(*format == 'q' ? bytes : bytes / SCANNED_PER_FUEL) + 1);
    } else if (*format == 's') {
      luasandbox_push_text(L, argument);
      lua_replace(L, argument);
    }
    if (format < end) format++;
  }
  return stock(L, STOCK_FORMAT);
}

const sandbox_function luasandbox_text_functions[] = {
  {"byte", text_byte, READS(2) | READS(3)}, {"char", text_char, READS_ALL}, {"len", text_len, 0},
  {"lower", text_lower, 0}, {"reverse", text_reverse, 0}, {"upper", text_upper, 0},
  {"sub", text_sub, READS(2) | READS(3)}, {"rep", text_rep, READS(2)},
  {"format", text_format, 0}, {NULL, NULL, 0},
};

/* ---- arithmetic on strings that hold numbers: upvalue 1 is the operation ---- */

static void check_operand(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TNUMBER) return;
  size_t length = 0;
  const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : NULL;
  luasandbox_charge_numeral(L, index);
  if (text == NULL || lua_stringtonumber(L, text) != length + 1)
    luaL_error(L, "attempt to perform arithmetic on a %s value", luaL_typename(L, index));
  lua_replace(L, index);
}

static int text_arithmetic(lua_State *L) {
  int operation = (int)lua_tointeger(L, lua_upvalueindex(1));
  lua_settop(L, 2);
  check_operand(L, 1);
  check_operand(L, 2);
  if (operation == LUA_OPUNM) lua_settop(L, 1);
  lua_arith(L, operation);
  return 1;
}

/* Adds them to the metatable of strings, which is at the top. */
void luasandbox_add_arithmetic(lua_State *L) {
  static const struct {
    const char *event;
    int operation;
  } events[] = {
    {"__add", LUA_OPADD}, {"__sub", LUA_OPSUB}, {"__mul", LUA_OPMUL}, {"__mod", LUA_OPMOD},
    {"__pow", LUA_OPPOW}, {"__div", LUA_OPDIV}, {"__idiv", LUA_OPIDIV}, {"__unm", LUA_OPUNM},
  };
  for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
    lua_pushinteger(L, events[i].operation);
    lua_pushcclosure(L, text_arithmetic, 1);
    lua_setfield(L, -2, events[i].event);
  }
}

/* ---- utf8 ---- */

static int unicode_len(lua_State *L) { charge_scan(L); return stock(L, STOCK_UTF8_LEN); }
static int unicode_offset(lua_State *L) { charge_scan(L); return stock(L, STOCK_UTF8_OFFSET); }

static int unicode_codepoint(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  lua_Integer first = luaL_optinteger(L, 2, 1);
  check_span(L, first, luaL_optinteger(L, 3, first), length);
  return stock(L, STOCK_UTF8_CODEPOINT);
}

static int unicode_char(lua_State *L) {
  luasandbox_charge(L, luasandbox_of(L), lua_gettop(L));
  return stock(L, STOCK_UTF8_CHAR);
}

/* A step skips the continuation bytes of the last character: there may be a megabyte of them. */
static void charge_step(lua_State *L) {
  size_t length = 0;
  const char *s = luaL_checklstring(L, 1, &length);
  lua_Integer at = lua_tointeger(L, 2);
  size_t from = at < 0 ? 0 : (size_t)at, end = from;
  while (end < length && ((unsigned char)s[end] & 0xC0) == 0x80) end++;
  luasandbox_charge(L, luasandbox_of(L), (int64_t)((end - from) / SCANNED_PER_FUEL) + 1);
}

static int unicode_step(lua_State *L) { charge_step(L); return stock(L, STOCK_UTF8_STEP); }
static int unicode_step_lax(lua_State *L) { charge_step(L); return stock(L, STOCK_UTF8_STEP_LAX); }

static int unicode_codes(lua_State *L) {
  luaL_checkstring(L, 1);
  luasandbox_push_function(L, lua_toboolean(L, 2) ? unicode_step_lax : unicode_step, READS(2));
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

const sandbox_function luasandbox_utf8_functions[] = {
  {"char", unicode_char, READS_ALL}, {"codepoint", unicode_codepoint, READS(2) | READS(3)},
  {"codes", unicode_codes, 0}, {"len", unicode_len, READS(2) | READS(3)},
  {"offset", unicode_offset, READS(2) | READS(3)}, {NULL, NULL, 0},
};
