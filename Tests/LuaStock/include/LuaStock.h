/* Lua as it comes, for tests that compare the sandbox with it. */
#ifndef LUASTOCK_H
#define LUASTOCK_H

#include <stddef.h>

/* Runs `source` in a fresh state with all libraries and copies the string that it returns (or its
 * error text) to `output`. Returns the string's length, or -1 for an error. */
long luastock_run(const char *source, size_t length, char *output, size_t capacity);

#endif
