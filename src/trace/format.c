#include "trace/format.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Small enough to stay in the second-level cache while its lines are parsed. */
enum { FIRST_CAPACITY = 256 * 1024 };

static int fail_errno(const struct st_input *input, const char *what, struct st_error *error) {
    return st_fail(error, input->name, ST_AT_FILE, 0, "%s: %s", what, strerror(errno));
}

int st_input_open(struct st_input *input, const char *path, struct st_error *error) {
    memset(input, 0, sizeof *input);
    bool standard = strcmp(path, "-") == 0;
    input->name = standard ? "standard input" : path;
    input->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (input->fd < 0)
        return fail_errno(input, "cannot open", error);
    struct stat status;
    if (fstat(input->fd, &status) < 0) {
        fail_errno(input, "cannot read", error);
        st_input_close(input);
        return -1;
    }
    if (S_ISDIR(status.st_mode)) {
        st_input_close(input);
        return st_fail(error, input->name, ST_AT_FILE, 0, "is a directory, not a trace");
    }
    if (S_ISREG(status.st_mode))
        input->size = (uint64_t)status.st_size;
    input->capacity = FIRST_CAPACITY;
    input->data = st_alloc(input->capacity + ST_INPUT_PADDING, 1);
    return 0;
}

void st_input_close(struct st_input *input) {
    if (input->fd > STDIN_FILENO)
        close(input->fd);
    input->fd = -1;
    free(input->data);
    input->data = NULL;
}

static void make_room(struct st_input *input, size_t want) {
    size_t available = st_input_available(input);
    memmove(input->data, input->data + input->begin, available);
    input->begin = 0;
    input->end = available;
    if (want > input->capacity) {
        size_t capacity = input->capacity * 2 > want ? input->capacity * 2 : want;
        input->data = st_realloc(input->data, capacity + ST_INPUT_PADDING, 1);
        input->capacity = capacity;
    }
}

int st_input_fill(struct st_input *input, size_t want, struct st_error *error) {
    if (st_input_available(input) >= want || input->at_end)
        return 0;
    make_room(input, want);
    while (st_input_available(input) < want && !input->at_end) {
        ssize_t got = read(input->fd, input->data + input->end, input->capacity - input->end);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(input, "cannot read", error);
        if (got == 0)
            input->at_end = true;
        input->end += (size_t)got;
    }
    memset(input->data + input->end, 0, ST_INPUT_PADDING);
    return 0;
}
