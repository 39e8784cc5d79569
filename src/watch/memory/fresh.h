/* Fresh memory: what a thread has allocated since it last released anything.
 *
 * Whoever allocates an object fills it in and then makes it known, by storing its address where
 * others look. Without a data race, nobody sees that store before the thread releases a lock, sends
 * a signal, creates a thread or writes atomically. So until then nobody else can access the object,
 * in any schedule. A recording marks these accesses (st_event.fresh): analyses of other schedules
 * would take them for conflicts with what others do with the object later, and would say of every
 * function that makes a node and links it that it can be cut in between. Where the store may race,
 * they find out by themselves (predict/model/exposure.h).
 *
 * An address that leaves by code without instrumentation is not seen, unless a lock is released.
 * Only the last few objects of a thread are kept in mind. */
#ifndef SERIATIM_WATCH_MEMORY_FRESH_H
#define SERIATIM_WATCH_MEMORY_FRESH_H

#include <stdbool.h>
#include <stdint.h>

enum { ST_FRESH_MOST = 8 };

/* Of one thread. Invariant: `from` and `to` are around all of them. */
struct st_fresh {
    uint32_t count, next; /* next: is replaced when there is no room */
    uint64_t from, to;
    struct st_fresh_object {
        uint64_t from, to;
    } objects[ST_FRESH_MOST];
};

void st_fresh_add(struct st_fresh *fresh, uint64_t address, uint64_t length);

/* The memory is freed, or another thread has got it, so it must have been. */
void st_fresh_remove(struct st_fresh *fresh, uint64_t address, uint64_t length);

bool st_fresh_find(const struct st_fresh *fresh, uint64_t address, uint64_t length);

/* Is all of this memory fresh? */
static inline bool st_is_fresh(const struct st_fresh *fresh, uint64_t address, uint64_t length) {
    return __builtin_expect(fresh->count != 0, 0) && address >= fresh->from &&
           address < fresh->to && st_fresh_find(fresh, address, length);
}

/* The thread releases something, so that others can see what it has written. */
static inline void st_fresh_release(struct st_fresh *fresh) {
    fresh->count = 0;
}

#endif
