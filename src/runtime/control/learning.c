/* Learning which places touch memory that threads share: memory that two threads have touched, one
 * of them writing, neither of which had ended when the other began.
 *
 * Who touched a granule, and where, is kept in two words of a shadow of its own, which are cleared
 * when the memory is freed. The first has the number of the thread that touched it first (bits 0 to
 * 15), whether a second one did (16), whether anybody wrote (17), and two places (32 to 63); the
 * second has four. Once the granule is shared, all these places are points, and so is every place
 * that touches it.
 *
 * Of a place that a thread has come to very often, only a sample of the memory is looked at: all
 * threads look at the same, and runs of other seeds at another one (rt_may_teach). */
#define _GNU_SOURCE
#include "runtime/control/learning.h"
#include "runtime/core/shadow.h"
#include "runtime/core/system_call.h"

#include <sys/mman.h>
#include <sys/syscall.h>

enum { NUMBERS = UINT16_MAX };
#define SHARED (UINT64_C(1) << 16)
#define WRITTEN (UINT64_C(1) << 17)

struct touches {
    uint64_t first, second;
};

static char *touches_base;

static struct touches *touches_of(uintptr_t granule) {
    return (struct touches *)(void *)(touches_base + rt_shadow_offset(granule));
}

/* Without room, the details of the shadow serve, and no access can be deferred. */
void rt_learning_start(void) {
    long bytes = (long)2 << RT_ADDRESS_BITS;
    long memory = rt_system_call(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory < 0) {
        touches_base = rt_detail_base;
        rt_deferring = false;
        return;
    }
    touches_base = (char *)memory; // NOLINT(performance-no-int-to-ptr)
    madvise(touches_base, (size_t)bytes, MADV_DONTDUMP);
    madvise(touches_base, (size_t)bytes, MADV_NOHUGEPAGE);
    madvise(touches_base, (size_t)bytes, MADV_DONTFORK);
}

static void forget_pages(uintptr_t first, uintptr_t last) {
    madvise(touches_of(first), (last - first) * 2, MADV_DONTNEED);
}

void rt_forget_touches(uintptr_t address, size_t size) {
    enum { PAGE = 4096, LARGE = 64 * PAGE };
    const uintptr_t all = (uintptr_t)1 << RT_ADDRESS_BITS; /* where the shadow begins again */
    uintptr_t end = address + size;
    if (size >= LARGE && address / all == (end - 1) / all) {
        uintptr_t first = (address + PAGE - 1) & -(uintptr_t)PAGE, last = end & -(uintptr_t)PAGE;
        forget_pages(first, last);
        rt_forget_touches(address, first - address);
        rt_forget_touches(last, end - last);
        return;
    }
    for (uintptr_t granule = address & ~(uintptr_t)7; granule < end; granule += 8) {
        struct touches *touches = touches_of(granule);
        if (touches->first)
            *touches = (struct touches){0, 0};
    }
}

static uint16_t number_of(const struct rt_runner *runner) {
    return (uint16_t)(runner->index % NUMBERS + 1);
}

/* When the last thread with a number ended. */
static uint64_t ends[NUMBERS + 1];

void rt_number_begins(struct rt_runner *runner) {
    runner->began = ++rt_control.tickets;
    ends[number_of(runner)] = UINT64_MAX;
}

void rt_number_ends(const struct rt_runner *runner) {
    ends[number_of(runner)] = ++rt_control.tickets;
}

static void learn_from(uint64_t places, unsigned shift) {
    for (; shift < 64; shift += 16) {
        uint16_t id = (uint16_t)(places >> shift);
        if (id)
            rt_learn_place(rt_place_with(id));
    }
}

/* Puts the place into the first free room for one, unless it is there already. */
static void add_place(uint64_t *first, uint64_t *second, uint16_t id) {
    for (unsigned i = 0; i < 6; i++) {
        uint64_t *word = i < 2 ? first : second;
        unsigned shift = i < 2 ? 32 + 16 * i : 16 * (i - 2);
        uint16_t there = (uint16_t)(*word >> shift);
        if (there == id)
            return;
        if (!there) {
            *word |= (uint64_t)id << shift;
            return;
        }
    }
}

static void learn_granule(const struct rt_runner *me, uintptr_t granule, bool write,
                          struct rt_place *place) {
    struct touches *touches = touches_of(granule);
    uint64_t first = touches->first, second = touches->second;
    if ((first & (SHARED | WRITTEN)) != (SHARED | WRITTEN)) {
        uint16_t number = (uint16_t)first;
        if (!number || (number != number_of(me) && ends[number] < me->began)) {
            first = number_of(me);
            second = 0;
        } else if (number != number_of(me)) {
            first |= SHARED;
        }
        first |= write ? WRITTEN : 0;
        if ((first & (SHARED | WRITTEN)) == (SHARED | WRITTEN)) {
            learn_from(first, 32);
            learn_from(second, 0);
        } else {
            add_place(&first, &second, place->id);
        }
    }
    if ((first & (SHARED | WRITTEN)) == (SHARED | WRITTEN))
        rt_learn_place(place);
    if (first != touches->first || second != touches->second)
        *touches = (struct touches){first, second};
}

void rt_learn(const struct rt_runner *me, uintptr_t address, size_t size, bool write,
              struct rt_place *place) {
    for (uintptr_t granule = address & ~(uintptr_t)7; granule < address + size; granule += 8)
        if (rt_may_teach(me, granule, 1, place))
            learn_granule(me, granule, write, place);
}
