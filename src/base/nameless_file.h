/* Temporary files without a name. tmpfile() of libc does not heed TMPDIR, and these may be large.
 */
#ifndef SERIATIM_BASE_NAMELESS_FILE_H
#define SERIATIM_BASE_NAMELESS_FILE_H

#include "base/error.h"

#include <stdio.h>

/* A file in TMPDIR, or /tmp, that is gone when it is closed. NULL with an error. */
FILE *st_nameless_file(struct st_error *error);

#endif
