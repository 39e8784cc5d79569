#define _GNU_SOURCE /* mremap */
#include "trace/late/spill.h"

#include "base/nameless_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_ROWS = 1 << 8 };

static int fail(struct st_error *error, const char *what, int why) {
    return st_fail(error, NULL, ST_AT_FILE, 0, "cannot %s a temporary file: %s", what,
                   strerror(why));
}

/* The room is there on the disk before it is written to: a full disk is an error, and no signal. */
static int grow(struct st_spill *spill, struct st_error *error) {
    size_t capacity = spill->capacity ? 2 * spill->capacity : FIRST_ROWS;
    if (!spill->file && !(spill->file = st_nameless_file(error)))
        return -1;
    int fd = fileno(spill->file), why = posix_fallocate(fd, 0, (off_t)(capacity * spill->size));
    if (why)
        return fail(error, "write", why);
    void *rows =
        spill->rows ? mremap(spill->rows, spill->capacity * spill->size, capacity * spill->size,
                             MREMAP_MAYMOVE)
                    : mmap(NULL, capacity * spill->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (rows == MAP_FAILED)
        return fail(error, "map", errno);
    spill->rows = rows;
    spill->capacity = capacity;
    return 0;
}

void *st_spill_add(struct st_spill *spill, size_t size, struct st_error *error) {
    spill->size = size;
    if (spill->count == spill->capacity && grow(spill, error) < 0)
        return NULL;
    return (char *)spill->rows + spill->count++ * size;
}

void st_spill_free(struct st_spill *spill) {
    if (spill->rows)
        munmap(spill->rows, spill->capacity * spill->size);
    if (spill->file)
        fclose(spill->file);
}
