#define _GNU_SOURCE
#include "cli/runtime_dir.h"

#include "base/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char variable[] = "SERIATIM_RUNTIME_DIR";

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static char *join(const char *folder, const char *rest) {
    size_t size = strlen(folder) + strlen(rest) + 1;
    char *path = st_alloc(size, 1);
    snprintf(path, size, "%s%s", folder, rest);
    return path;
}

char *runtime_dir(struct st_error *error) {
    static const char *const places[] = {"/runtime", "/../" SERIATIM_LIBDIR "/seriatim",
                                         "/../lib/seriatim"};
    const char *wanted = getenv(variable);
    if (wanted && *wanted) {
        if (is_folder(wanted))
            return st_strdup(wanted);
        st_fail(error, wanted, ST_AT_FILE, 0, "is not a folder, but %s names it", variable);
        return NULL;
    }
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        char *path = join(self, places[i]);
        if (is_folder(path))
            return path;
        free(path);
    }
    st_fail(error, NULL, ST_AT_FILE, 0,
            "cannot find the runtime for programs under test; %s may name its folder", variable);
    return NULL;
}
