#include "cli/doctor/scratch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[SCRATCH_FILES] = {[SCRATCH_C] = "main.c",
                                                 [SCRATCH_CXX] = "main.cc",
                                                 [SCRATCH_PROGRAM] = "program",
                                                 [SCRATCH_TRACE] = "trace.stt"};

/* Set before the folder is created and as long as it exists, so that a handler finds it. */
static char folder[PATH_MAX], paths[SCRATCH_FILES][PATH_MAX + 16];

const char *scratch_place(void) {
    const char *place = getenv("TMPDIR");
    return place && *place ? place : "/tmp";
}

int scratch_make(struct st_error *error) {
    const char *place = scratch_place();
    char made[PATH_MAX];
    if (snprintf(made, sizeof made, "%s/seriatim-XXXXXX", place) >= (int)sizeof made)
        errno = ENAMETOOLONG;
    else if (mkdtemp(made)) {
        for (int i = 0; i < SCRATCH_FILES; i++)
            snprintf(paths[i], sizeof paths[i], "%s/%s", made, names[i]);
        memcpy(folder, made, sizeof made);
        return 0;
    }
    return st_fail(error, place, ST_AT_FILE, 0, "cannot make a folder there: %s", strerror(errno));
}

const char *scratch_path(enum scratch_file file) {
    return paths[file];
}

int scratch_write(enum scratch_file file, const char *text, struct st_error *error) {
    FILE *stream = fopen(paths[file], "w");
    if (stream) {
        int written = fputs(text, stream);
        if (fclose(stream) == 0 && written >= 0)
            return 0;
    }
    return st_fail(error, paths[file], ST_AT_FILE, 0, "cannot write: %s", strerror(errno));
}

void scratch_remove(void) {
    if (!folder[0])
        return;
    for (int i = 0; i < SCRATCH_FILES; i++)
        unlink(paths[i]);
    rmdir(folder);
    folder[0] = '\0';
}
