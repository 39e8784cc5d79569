/* What the channels of a trace are for. Most carry signals. The others are the sides of locks that
 * are no mutexes: reader-writer locks, and semaphores that are used as locks; or counts of
 * references. Their names say so, in every format (docs/trace-format.md):
 *
 *     l [write], l [read]   of the reader-writer lock l
 *     s [lock]              of the lock s: a receive acquires it, a send releases it
 *     s [signal]            of the same s: signals, by those who do not hold it
 *     references to x       a send drops one, a receive comes after all that were dropped
 *     omp parallel          teams of OpenMP begin: a receive comes after the send before it
 *     omp barrier           and meet: a receive comes after all sends of its round
 *
 * A team's channel is used in rounds: sends, then receives. That is so in every schedule. */
#ifndef SERIATIM_TRACE_CHANNELS_H
#define SERIATIM_TRACE_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum st_channel_kind {
    ST_SIGNAL,
    ST_TEAM,
    ST_SIGNAL_SIDE,
    ST_WRITE_SIDE,
    ST_READ_SIDE,
    ST_WHOLE_LOCK,
    ST_REFERENCES
};
#define ST_REFERENCES_TO "references to "
#define ST_TEAM_BEGINS "omp parallel"
#define ST_TEAM_MEETS "omp barrier"

struct st_channel {
    enum st_channel_kind kind;
    uint32_t lock; /* if it is of one: its number */
    bool several;  /* threads can hold that lock at the same time, as its name says */
};

/* By number of the channel; those that were never set are signals. Part k has room for 2^k
 * channels, and what was set never moves. So one thread may add channels while another looks at
 * those that it knows. All zero is an empty one. */
struct st_channels {
    struct st_channel *parts[32];
};

void st_channels_set(struct st_channels *channels, uint32_t number, struct st_channel channel);
void st_channels_free(struct st_channels *channels);

static inline struct st_channel st_channel(const struct st_channels *channels, uint32_t number) {
    unsigned part = 31 - (unsigned)__builtin_clz(number + 1);
    const struct st_channel *list = channels->parts[part];
    return list ? list[number + 1 - (UINT32_C(1) << part)] : (struct st_channel){0};
}

/* Is it a side of a lock, as which a thread can hold it? */
static inline bool st_is_lock_kind(enum st_channel_kind kind) {
    return kind > ST_SIGNAL_SIDE && kind < ST_REFERENCES;
}

static inline bool st_is_lock_channel(const struct st_channels *channels, uint32_t number) {
    return st_is_lock_kind(st_channel(channels, number).kind);
}

/* The kind of the channel with this name, and the length of the name of its lock. */
enum st_channel_kind st_channel_kind(const char *name, size_t length, size_t *lock_length);

/* What the name of a channel of this kind ends with: "" or " [write]" and so on. */
const char *st_channel_suffix(enum st_channel_kind kind);

#endif
