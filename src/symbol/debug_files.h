/* Where the debug information of a file is, if not in the file itself: as libdw finds it, by
 * build-id, by .gnu_debuglink, and from a server (symbol.h).
 *
 * libdw loads the client for servers whenever a search fails, with libcurl, libssl and all that
 * they need, also if the user has named no server. That takes 8 ms, a seventh of what a run of a
 * small program in C++ takes. So it is asked only if a server is named, or a file is there. */
#ifndef SERIATIM_SYMBOL_DEBUG_FILES_H
#define SERIATIM_SYMBOL_DEBUG_FILES_H

#include <elfutils/libdwfl.h>

/* For Dwfl_Callbacks.find_debuginfo. */
int st_find_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                       const char *path, const char *link, GElf_Word checksum, char **found);

#endif
