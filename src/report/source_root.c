#define _GNU_SOURCE
#include "report/source_root.h"

#include "base/memory.h"
#include "base/output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *join(const char *folder, const char *path) {
    struct st_text_buffer buffer;
    size_t length = strlen(folder);
    fprintf(st_text_buffer_open(&buffer), "%s%s%s", folder,
            length && folder[length - 1] == '/' ? "" : "/", path);
    return st_text_buffer_close(&buffer);
}

static bool is_there(const char *folder, const char *path) {
    char *name = join(folder, path);
    bool result = access(name, F_OK) == 0;
    free(name);
    return result;
}

char *st_source_root(const char *given) {
    char folder[PATH_MAX];
    if (given)
        return realpath(given, folder) ? join(folder, "") : join(given, "");
    if (!getcwd(folder, sizeof folder))
        return NULL;
    while (*folder) {
        if (is_there(folder, ".git"))
            return join(folder, "");
        *strrchr(folder, '/') = '\0';
    }
    return NULL;
}

/* The rest of a path behind the root, or NULL. */
static const char *below(const char *root, const char *path) {
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && path[length] ? path + length : NULL;
}

/* A compiler may have been asked to write paths from the root on, with or without the folder that
 * it ran in before them. The part of the path that is a file below the root, or NULL. */
static const char *find_mapped(const char *root, const char *path) {
    while (path && !is_there(root, path)) {
        path = strchr(path, '/');
        path = path ? path + 1 : NULL;
    }
    return path;
}

char *st_root_path(const struct st_report *report, const char *path) {
    char here[PATH_MAX];
    if (!report->root || !*path)
        return st_strdup(path);
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    const char *folder = report->folder ? report->folder : getcwd(here, sizeof here);
    if (*path == '/' || !folder) {
        const char *rest = below(report->root, path);
        return st_strdup(rest ? rest : path);
    }
    const char *mapped = is_there(folder, path) ? NULL : find_mapped(report->root, path);
    if (mapped)
        return st_strdup(mapped);
    char *whole = join(folder, path);
    const char *rest = below(report->root, whole);
    char *result = st_strdup(rest && !strstr(rest, "../") ? rest : path);
    free(whole);
    return result;
}
