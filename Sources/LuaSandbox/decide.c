/* What a call decides: values that go out after what it returns. They are written out when they are
 * made, so that what a script does to a table later is another decision. */
#include "internal.h"
#include "tags.h"

#include <string.h>

void luasandbox_forget_decisions(luasandbox *box) { box->decision_count = box->decided_length = 0; }

/* The place of the decision with this slot, or that of a new one. */
static size_t find_slot(const luasandbox *box, char group, const char *key, size_t length) {
  size_t place = 0;
  for (; place < box->decision_count; place++) {
    const decision *it = &box->decisions[place];
    const uint8_t *slot = box->decided + it->slot;
    if (it->slot_length == length + 1 && slot[0] == (uint8_t)group &&
        memcmp(slot + 1, key, length) == 0)
      break;
  }
  return place;
}

/* Moves what still counts to the front: a script may decide the same thing anew many times. */
static void drop_replaced(luasandbox *box) {
  size_t end = 0;
  for (;;) {                    /* in order of place, so that nothing is written over */
    decision *next = NULL;
    for (size_t i = 0; i < box->decision_count; i++) {
      decision *it = &box->decisions[i];
      if (it->slot >= end && (next == NULL || it->slot < next->slot)) next = it;
    }
    if (next == NULL) break;
    size_t length = next->slot_length + next->value_length;
    memmove(box->decided + end, box->decided + next->slot, length);
    next->slot = (uint32_t)end;
    next->value = next->slot + next->slot_length;
    end += length;
    if (length == 0) break;
  }
  box->decided_length = end;
}

static uint8_t *reserve(lua_State *L, size_t count) {
  luasandbox *box = luasandbox_of(L);
  if (box->decided_length + count > box->limits.result_bytes) drop_replaced(box);
  if (box->decided_length + count > box->limits.result_bytes)
    luaL_error(L, "the decisions of this call are too large");
  size_t need = box->decided_length + count;
  if (!luasandbox_grow(box, &box->decided, &box->decided_capacity, need))
    luasandbox_raise_doom(L, LUASANDBOX_MEMORY);
  uint8_t *place = box->decided + box->decided_length;
  box->decided_length = need;
  return place;
}

void luasandbox_put_array_head(lua_State *L, size_t count) {
  uint8_t *head = luasandbox_put(L, 5);
  head[0] = count == 0 ? TAG_MAP : TAG_ARRAY;
  for (int i = 0; i < 4; i++) head[1 + i] = (uint8_t)(count >> 8 * i);
}

/* decide(group, key, value, …): one decision, the list of these values. A later one with the same
 * group – a letter – and key takes the place of an earlier one; without a group each stands for
 * itself. False: there are too many. */
int luasandbox_decide(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  int top = lua_gettop(L);
  size_t group_length = 0, key_length = 0;
  const char *group = lua_isnil(L, 1) ? "" : luaL_checklstring(L, 1, &group_length);
  const char *key = group_length == 0 ? "" : luaL_checklstring(L, 2, &key_length);
  size_t place = box->decision_count;
  if (group_length > 0) place = find_slot(box, group[0], key, key_length);
  if (place >= MOST_DECISIONS) {
    lua_pushboolean(L, 0);
    return 1;
  }
  box->output_length = box->scratch_length = 0;
  luasandbox_put_array_head(L, (size_t)(top < 3 ? 0 : top - 2));
  for (int i = 3; i <= top; i++) luasandbox_encode_more(L, i, "the decision", 3);
  size_t slot_length = group_length == 0 ? 0 : key_length + 1;
  size_t value_length = box->output_length;
  uint8_t *bytes = reserve(L, slot_length + value_length);
  if (slot_length > 0) {
    bytes[0] = (uint8_t)group[0];
    memcpy(bytes + 1, key, key_length);
  }
  memcpy(bytes + slot_length, box->output, value_length);
  uint32_t start = (uint32_t)(bytes - box->decided);
  box->decisions[place] = (decision){start, (uint32_t)slot_length, start + (uint32_t)slot_length,
                                     (uint32_t)value_length};
  if (place == box->decision_count) box->decision_count++;
  lua_pushboolean(L, 1);
  return 1;
}

/* Writes the list of decisions after what the output has. */
void luasandbox_add_decisions(lua_State *L) {
  luasandbox *box = luasandbox_of(L);
  luasandbox_put_array_head(L, box->decision_count);
  for (size_t i = 0; i < box->decision_count; i++) {
    const decision *it = &box->decisions[i];
    memcpy(luasandbox_put(L, it->value_length), box->decided + it->value, it->value_length);
  }
}
