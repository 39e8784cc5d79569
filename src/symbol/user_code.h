/* Which code is the user's own, and which belongs to the implementation: the compiler, the C and
 * C++ libraries and what else is installed in the system's include directories.
 *
 * A report shows the user's own lines: nobody asks for the line of the library header that locked a
 * mutex. This is the only place that decides it. */
#ifndef SERIATIM_SYMBOL_USER_CODE_H
#define SERIATIM_SYMBOL_USER_CODE_H

#include <stdbool.h>

/* `location` is "bank.c:21", or what is known instead: "libc.so.6+0x11f3", "". */
bool st_is_user_code(const char *function, const char *location);

#endif
