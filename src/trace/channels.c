#include "trace/channels.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_channels_set(struct st_channels *channels, uint32_t number, struct st_channel channel) {
    unsigned part = 31 - (unsigned)__builtin_clz(number + 1);
    size_t size = (size_t)1 << part;
    if (!channels->parts[part])
        channels->parts[part] = st_alloc(size, sizeof *channels->parts[part]);
    channels->parts[part][number + 1 - size] = channel;
}

void st_channels_free(struct st_channels *channels) {
    for (size_t part = 0; part < sizeof channels->parts / sizeof channels->parts[0]; part++)
        free(channels->parts[part]);
}

static const char *const suffixes[] = {
    [ST_SIGNAL] = "",
    [ST_TEAM] = "",
    [ST_SIGNAL_SIDE] = " [signal]",
    [ST_WRITE_SIDE] = " [write]",
    [ST_READ_SIDE] = " [read]",
    [ST_WHOLE_LOCK] = " [lock]",
    [ST_REFERENCES] = "",
};

const char *st_channel_suffix(enum st_channel_kind kind) {
    return suffixes[kind];
}

/* The name, or one of several of that name: "omp barrier", "omp barrier #2". */
static bool is_named(const char *name, size_t length, const char *wanted) {
    size_t known = strlen(wanted);
    return length >= known && memcmp(name, wanted, known) == 0 &&
           (length == known || (length > known + 2 && memcmp(name + known, " #", 2) == 0));
}

enum st_channel_kind st_channel_kind(const char *name, size_t length, size_t *lock_length) {
    static const char references[] = ST_REFERENCES_TO;
    *lock_length = 0;
    if (is_named(name, length, ST_TEAM_BEGINS) || is_named(name, length, ST_TEAM_MEETS))
        return ST_TEAM;
    if (length >= sizeof references && memcmp(name, references, sizeof references - 1) == 0)
        return ST_REFERENCES;
    for (enum st_channel_kind kind = ST_SIGNAL_SIDE; kind <= ST_WHOLE_LOCK; kind++) {
        size_t suffix = strlen(suffixes[kind]);
        if (length <= suffix || memcmp(name + length - suffix, suffixes[kind], suffix) != 0)
            continue;
        *lock_length = length - suffix;
        return kind;
    }
    return ST_SIGNAL;
}
