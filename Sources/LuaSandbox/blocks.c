/* Small blocks are kept for the next one of their size: a handler makes and drops dozens of tables
 * and strings in a few microseconds, and the general allocator would take half of that time. The
 * first ones, which a state mostly has for all its life, are cut from a few large pieces, so that a
 * state comes and goes quickly. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEP_NONE 1              /* every block its own, so that a stray access is seen */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define KEEP_NONE 1
#endif

enum { STEP = 16, KEPT_MOST = 256 * 1024 };

static size_t class_of(size_t size) { return (size + STEP - 1) / STEP; }

static bool is_small(size_t size) {
#ifdef KEEP_NONE
  (void)size;
  return false;
#else
  return class_of(size) < BLOCK_CLASSES;
#endif
}

/* The next block of this many bytes from the pieces; NULL when they are used up. */
static void *cut(luasandbox *box, size_t size) {
  if (box->piece_left < size) {
    if (box->piece_count == PIECES_MOST) return NULL;
    char *piece = malloc(PIECE_BYTES);
    if (piece == NULL) return NULL;
    box->pieces[box->piece_count++] = piece;
    box->piece_left = PIECE_BYTES;
  }
  char *block = box->pieces[box->piece_count - 1] + (PIECE_BYTES - box->piece_left);
  box->piece_left -= size;
  return block;
}

static bool is_cut(const luasandbox *box, const void *block) {
  uintptr_t address = (uintptr_t)block;
  for (int i = 0; i < box->piece_count; i++)
    if (address - (uintptr_t)box->pieces[i] < PIECE_BYTES) return true;
  return false;
}

static void *take(luasandbox *box, size_t size) {
  if (!is_small(size)) return malloc(size);
  block_list *list = &box->blocks[class_of(size)];
  if (list->first == NULL) {
    void *fresh = cut(box, class_of(size) * STEP);
    return fresh != NULL ? fresh : malloc(class_of(size) * STEP);
  }
  void *block = list->first;
  memcpy(&list->first, block, sizeof list->first);
  box->kept_bytes -= class_of(size) * STEP;
  return block;
}

/* Gives back a block of `size` bytes. */
void luasandbox_give_block(luasandbox *box, void *block, size_t size) {
  if (block == NULL) return;
  block_list *list = is_small(size) ? &box->blocks[class_of(size)] : NULL;
  if (list == NULL) {
    free(block);
    return;
  }
  if (box->kept_bytes + class_of(size) * STEP > KEPT_MOST && !is_cut(box, block)) {
    free(block);
    return;
  }
  memcpy(block, &list->first, sizeof list->first);
  list->first = block;
  box->kept_bytes += class_of(size) * STEP;
}

/* A block of `size` bytes with what the one of `old` bytes held; NULL when there is no memory, and
 * then the old one is as it was. */
void *luasandbox_take_block(luasandbox *box, void *block, size_t old, size_t size) {
  if (block == NULL) return take(box, size);
  bool small = is_small(size), was_small = is_small(old);
  if (small && was_small && class_of(size) == class_of(old)) return block;
  if (!small && !was_small) return realloc(block, size);
  void *fresh = take(box, size);
  if (fresh == NULL) return NULL;
  memcpy(fresh, block, old < size ? old : size);
  luasandbox_give_block(box, block, old);
  return fresh;
}

void luasandbox_drop_blocks(luasandbox *box) {
  for (size_t class = 0; class < BLOCK_CLASSES; class++) {
    for (void *block = box->blocks[class].first, *next; block != NULL; block = next) {
      memcpy(&next, block, sizeof next);
      if (!is_cut(box, block)) free(block);
    }
    box->blocks[class] = (block_list){NULL};
  }
  box->kept_bytes = 0;
  for (int i = 0; i < box->piece_count; i++) free(box->pieces[i]);
  box->piece_count = 0;
  box->piece_left = 0;
}
