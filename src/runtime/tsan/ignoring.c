#include "runtime/tsan/ignoring.h"
#include "runtime/core/thread_slot.h"

static uint16_t *counter_of(struct rt_thread *t, unsigned kind) {
    return kind == RT_IGNORE_READS    ? &t->ignored_reads
           : kind == RT_IGNORE_WRITES ? &t->ignored_writes
                                      : &t->ignored_sync;
}

static void change(unsigned kinds, bool begin) {
    struct rt_thread *t = rt_self;
    for (unsigned kind = RT_IGNORE_READS; kind <= RT_IGNORE_SYNC; kind <<= 1) {
        uint16_t *counter = counter_of(t, kind);
        if (!(kinds & kind))
            continue;
        if (begin && *counter < UINT16_MAX)
            ++*counter;
        else if (!begin && *counter)
            --*counter;
    }
    t->ignoring = t->ignored_reads || t->ignored_writes;
    rt_new_epoch(t);
}

void rt_ignore_begin(unsigned kinds) {
    change(kinds, true);
}

void rt_ignore_end(unsigned kinds) {
    change(kinds, false);
}
