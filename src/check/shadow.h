/* The last accesses of variables and locks, for the engine `witness`.
 *
 * A later access depends on the last write, on the last read of each thread since then, or on the
 * last release; everything older is passed on by those. */
#ifndef SERIATIM_CHECK_SHADOW_H
#define SERIATIM_CHECK_SHADOW_H

#include "check/batch.h"
#include "check/known.h"

/* An access by a thread at a local time. time 0: none, and nothing else has a meaning. */
struct st_touch {
    int32_t thread; /* or ST_SEVERAL */
    st_time time;
    struct st_known *known; /* what the thread knew */
    uint64_t number;        /* of the event */
    uint64_t loc;
};

/* From which local time on a thread's accesses can still matter, by thread. What is older is dead
 * for good. live_from[ST_SEVERAL] is ST_NEVER. */
#define ST_SEVERAL (-1)

/* The last read of each thread, in the order of their first. `index` behind the items is a hash
 * table by thread of 2 * capacity places in them, counted from 1; so a read costs the same however
 * many threads read. */
struct st_readers {
    uint32_t count, capacity; /* capacity is a power of two */
    struct st_touch items[];
};

/* slot[ST_READ] and slot[ST_WRITE] are the last read since the last write, and the last write. When
 * reads of several threads since then may matter, `readers` holds them all, the thread of the read
 * slot is ST_SEVERAL and its time is ST_NEVER: it is neither dead nor anybody's own.
 * One cache line: variables are looked up at random. */
struct st_variable_shadow {
    union {
        struct st_touch slot[2];
        struct {
            int32_t several;
            st_time never;
            struct st_readers *readers;
        };
    };
};

_Static_assert(sizeof(struct st_variable_shadow) == 64, "a variable is one cache line");

static inline bool st_shadow_several(const struct st_variable_shadow *variable) {
    return variable->several == ST_SEVERAL;
}

struct st_shadow {
    struct st_variable_shadow *variables;
    struct st_touch *locks; /* last release */
    size_t variable_capacity, lock_capacity;
    size_t reader_bytes;
};

void st_shadow_free(struct st_shadow *shadow);
void st_shadow_reserve(struct st_shadow *shadow, struct st_extent need);
size_t st_shadow_memory(const struct st_shadow *shadow);

/* Can the access still matter to thread t? */
static inline bool st_touch_matters(const struct st_touch *touch, int32_t t,
                                    const st_time *live_from) {
    return (touch->thread != t) & (touch->time >= live_from[touch->thread]);
}

/* Adds a read beside others that still matter. */
void st_shadow_read(struct st_shadow *shadow, struct st_variable_shadow *variable,
                    const struct st_touch *read, const st_time *live_from);

/* Forgets the reads: a write follows. */
void st_shadow_drop_reads(struct st_shadow *shadow, struct st_variable_shadow *variable);

/* Calls visit for every access there is. */
void st_shadow_visit(struct st_shadow *shadow, void (*visit)(void *context, struct st_touch *touch),
                     void *context);

#endif
