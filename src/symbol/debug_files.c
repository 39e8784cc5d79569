#include "symbol/debug_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool names_server(void) {
    const char *servers = getenv("DEBUGINFOD_URLS");
    return servers && *servers;
}

static bool is_there(const char *folder, int length, const char *below, const char *link) {
    char path[4096];
    int size = snprintf(path, sizeof path, "%s%.*s/%s", below, length, folder, link);
    return size >= (int)sizeof path || access(path, F_OK) == 0;
}

/* Beside the file, in .debug there, and below /usr/lib/debug, where libdw also looks for a folder
 * without those that it is in. Too many places are no harm: libdw looks for itself. */
static bool is_linked_from(const char *path, const char *link) {
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) : 0;
    if (!slash || is_there(path, length, "", link))
        return true;
    char hidden[4096];
    if (snprintf(hidden, sizeof hidden, ".debug/%s", link) >= (int)sizeof hidden ||
        is_there(path, length, "", hidden))
        return true;
    for (const char *folder = path; folder < slash; folder = strchr(folder + 1, '/'))
        if (is_there(folder, (int)(slash - folder), "/usr/lib/debug", link))
            return true;
    return is_there("", 0, "/usr/lib/debug", link);
}

static bool may_be_linked(const char *path, const char *link) {
    if (!link)
        return false;
    char *real = realpath(path, NULL);
    bool may = *link == '/' || is_linked_from(path, link) || !real || is_linked_from(real, link);
    free(real);
    return may;
}

int st_find_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                       const char *path, const char *link, GElf_Word checksum, char **found) {
    bool for_other = link && !checksum; /* what files with debug information share (dwz) */
    if (!names_server() && !for_other && path) {
        int fd =
            dwfl_build_id_find_debuginfo(module, user, name, base, path, link, checksum, found);
        if (fd >= 0 || !may_be_linked(path, link))
            return fd;
    }
    return dwfl_standard_find_debuginfo(module, user, name, base, path, link, checksum, found);
}
