/* Where the runtime library is, with which programs under test are linked. */
#ifndef SERIATIM_SESSION_RUNTIME_FILES_H
#define SERIATIM_SESSION_RUNTIME_FILES_H

#include "base/error.h"

#include <stdbool.h>

/* The library. Beside it lie links to it under the names that gcc's programs know: libtsan.so, for
 * its linker, and libtsan.so.2, for programs that were linked before. */
#define ST_RUNTIME_LIBRARY "libseriatim_rt.so"
#define ST_RUNTIME_LINK_NAME "libtsan.so"

/* The same as an archive, the list of names in it that shared libraries need, and the name by which
 * gcc finds it. */
#define ST_RUNTIME_ARCHIVE "libseriatim_rt.a"
#define ST_RUNTIME_ARCHIVE_NAMES "libseriatim_rt.a.syms"
#define ST_RUNTIME_ARCHIVE_LINK_NAME "libtsan.a"

/* The absolute path of the folder that holds it, to be released with free(), or NULL. It is what
 * SERIATIM_RUNTIME_DIR names, or else found from where the running program is: in a build folder,
 * or installed. `command` is who asks, for the error. */
char *st_runtime_folder(const char *command, struct st_error *error);

/* Does that folder hold the archive, and what belongs to it, too? */
bool st_runtime_has_archive(const char *place);

#endif
