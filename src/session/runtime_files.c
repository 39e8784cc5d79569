#include "session/runtime_files.h"

#include "base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Relative to the folder of the program: in a build folder, and installed. */
static const char *const places[] = {"runtime", SERIATIM_RUNTIME_FROM_BIN};

static bool holds(const char *folder, const char *file) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    return length < (int)sizeof path && access(path, R_OK) == 0;
}

static bool is_complete(const char *folder) {
    return holds(folder, ST_RUNTIME_LIBRARY) && holds(folder, ST_RUNTIME_LINK_NAME);
}

bool st_runtime_has_archive(const char *place) {
    return holds(place, ST_RUNTIME_ARCHIVE) && holds(place, ST_RUNTIME_ARCHIVE_NAMES) &&
           holds(place, ST_RUNTIME_ARCHIVE_LINK_NAME);
}

bool st_runtime_has_headers(const char *place) {
    return holds(place, ST_RUNTIME_HEADERS "/string.h");
}

static char *from_variable(const char *folder, const char *command, struct st_error *error) {
    if (is_complete(folder)) {
        char *path = realpath(folder, NULL);
        if (path)
            return path;
    }
    char quoted[160];
    st_fail(error, command, ST_AT_FILE, 0,
            "SERIATIM_RUNTIME_DIR is %s, where " ST_RUNTIME_LIBRARY " and " ST_RUNTIME_LINK_NAME
            " are not; set it to the folder that holds them, or unset it",
            st_quote(quoted, sizeof quoted, folder, strlen(folder)));
    return NULL;
}

static char *from_program(const char *command, struct st_error *error) {
    char program[PATH_MAX], path[PATH_MAX * 2];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s", program, places[i]);
        char *found = is_complete(path) ? realpath(path, NULL) : NULL;
        if (found)
            return found;
    }
    char quoted[160];
    snprintf(path, sizeof path, "%s/%s", program, places[1]);
    st_fail(error, command, ST_AT_FILE, 0,
            "the runtime library " ST_RUNTIME_LIBRARY
            " is not there (looked in %s); build or install seriatim again, or set "
            "SERIATIM_RUNTIME_DIR to its folder",
            st_quote(quoted, sizeof quoted, path, strlen(path)));
    return NULL;
}

char *st_runtime_folder(const char *command, struct st_error *error) {
    const char *folder = getenv("SERIATIM_RUNTIME_DIR");
    return folder && *folder ? from_variable(folder, command, error) : from_program(command, error);
}
