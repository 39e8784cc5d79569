/* Finds the runtime library that programs under test are linked with. */
#ifndef SERIATIM_SESSION_RUNTIME_FILES_H
#define SERIATIM_SESSION_RUNTIME_FILES_H

#include "base/error.h"

#include <stdbool.h>

/* The library. Next to it are links under the names that gcc uses: libtsan.so, for its linker, and
 * libtsan.so.2, for programs that were linked before. */
#define ST_RUNTIME_LIBRARY "libseriatim_rt.so"
#define ST_RUNTIME_LINK_NAME "libtsan.so"

/* The same as an archive, the list of names in it that shared libraries need, and the name by which
 * gcc finds it. */
#define ST_RUNTIME_ARCHIVE "libseriatim_rt.a"
#define ST_RUNTIME_ARCHIVE_NAMES "libseriatim_rt.a.syms"
#define ST_RUNTIME_ARCHIVE_LINK_NAME "libtsan.a"

/* The folder with headers that gcc finds before those of the system. */
#define ST_RUNTIME_HEADERS "include"

/* The absolute path of the folder that holds it, or NULL. SERIATIM_RUNTIME_DIR names it; otherwise
 * it is found relative to the running program, in a build folder or installed. Release with
 * free(). `command` is for the error. */
char *st_runtime_folder(const char *command, struct st_error *error);

/* Does the folder also hold the archive and its files? */
bool st_runtime_has_archive(const char *place);

/* And the headers? */
bool st_runtime_has_headers(const char *place);

#endif
