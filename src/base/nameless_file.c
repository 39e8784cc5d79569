#define _GNU_SOURCE /* mkostemp */
#include "base/nameless_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

FILE *st_nameless_file(struct st_error *error) {
    static const char name[] = "/seriatim-XXXXXX";
    const char *folder = getenv("TMPDIR");
    char path[4096];
    if (!folder || !*folder || strlen(folder) + sizeof name > sizeof path)
        folder = "/tmp";
    strcpy(stpcpy(path, folder), name);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w+e");
    if (!file) {
        st_fail(error, NULL, ST_AT_FILE, 0, "cannot make a temporary file: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
    }
    return file;
}
