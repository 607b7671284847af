/* First byte of each value of plain data. */
#ifndef LUASANDBOX_TAGS_H
#define LUASANDBOX_TAGS_H

enum {
  TAG_NIL = 0,
  TAG_FALSE = 1,
  TAG_TRUE = 2,
  TAG_INTEGER = 3,
  TAG_FLOAT = 4,
  TAG_STRING = 5,
  TAG_ARRAY = 6,
  TAG_MAP = 7,
  TAG_SIZED = 8,                /* a length before a value, to pass over it */
  TAG_RECORD = 9,               /* a length before a map that stays encoded */
  TAG_LINK = 10,                /* in a record: another that it was linked with */
};

#endif
