/* Which build a file is of. */
#ifndef SERIATIM_SYMBOL_BUILD_ID_H
#define SERIATIM_SYMBOL_BUILD_ID_H

#include <stdbool.h>

enum { ST_BUILD_ID_SIZE = 136 };

/* The build id that the linker gave it, in hexadecimal; where there is none, a hash of the file.
 * False when it cannot be read. */
bool st_build_id(const char *path, char id[ST_BUILD_ID_SIZE]);

#endif
