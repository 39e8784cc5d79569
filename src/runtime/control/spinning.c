/* Threads that spin: they look at the same memory from the same place again and again, and nothing
 * changes. One thread runs at a time, so nothing ever will, unless others go on.
 *
 * Whether a thread spins follows from its events alone, points or not: so it spins at the same
 * clock in every run of a schedule, whichever places are points. The more often it has yielded in
 * vain, the longer it takes until it does again: loops that just read would pay for it. */
#include "runtime/control/spinning.h"
#include "runtime/control/waiting.h"

enum { FIRST_ATOMIC = 4, FIRST_PLAIN = 16, LONGEST = 1024, YIELD = 16 };

static bool is_plain(enum st_control_kind kind) {
    return kind == ST_POINT_READ;
}

static bool is_spinning_kind(enum st_control_kind kind) {
    return kind == ST_POINT_READ || kind == ST_POINT_ATOMIC_READ || kind == ST_POINT_ATOMIC_WRITE ||
           kind == ST_POINT_TRY_LOCK || kind == ST_POINT_SEM_WAIT || kind == ST_POINT_IO;
}

static void changed(struct rt_spinning *spin) {
    spin->stamp++;
    spin->patience = spin->quiet = 0;
    rt_control.vain = rt_control.yields = 0;
}

static bool yields(uint32_t events) {
    rt_control.yields++;
    rt_control.vain += events;
    return true;
}

void rt_changed_slow(void) {
    if (rt_runner_self)
        changed(&rt_runner_self->spin);
}

/* Is it in the frame of the function that runs, or close to it? Others do not look for it there: it
 * is what a compare-and-swap is to expect, say, which is set anew at each turn. */
static bool is_local(uintptr_t address) {
    enum { CLOSE = 4096 };
    return address - (uintptr_t)__builtin_frame_address(0) < CLOSE;
}

bool rt_spins(struct rt_runner *me, enum st_control_kind kind, uintptr_t object, uintptr_t caller) {
    if (kind == ST_POINT_YIELD)
        return yields(YIELD);
    if (me->clock - me->since > RT_FAIR) {
        me->since = me->clock;
        return true;
    }
    struct rt_spinning *spin = &me->spin;
    if (kind == ST_POINT_WRITE && is_local(object)) {
        rt_control.vain = 0; /* it may count its turns, and end */
        spin->quiet = 0;
        return false;
    }
    if (!is_spinning_kind(kind)) {
        changed(spin);
        return false;
    }
    size_t at = (caller ^ caller >> 4 ^ object >> 3) % RT_SPIN_ENTRIES;
    if (spin->entries[at].stamp != spin->stamp || spin->entries[at].caller != caller ||
        spin->entries[at].object != object) {
        spin->entries[at].caller = caller;
        spin->entries[at].object = object;
        spin->entries[at].stamp = spin->stamp;
        spin->entries[at].times = 0;
    }
    uint32_t bound = (uint32_t)(is_plain(kind) ? FIRST_PLAIN : FIRST_ATOMIC) << spin->patience;
    if (++spin->entries[at].times < bound)
        return false;
    spin->entries[at].times = 0;
    if (bound < LONGEST)
        spin->patience++;
    return yields(bound);
}
