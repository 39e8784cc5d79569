/* Learning which places touch memory that threads share: memory that two threads have touched, one
 * of them writing, neither of which had ended when the other began.
 *
 * Who touched a granule, and where, is kept in the detail words of its shadow, which nothing else
 * uses while no access is deferred, and which are cleared when the memory is freed. The word for
 * writes has the number of the thread that touched it first (bits 0 to 15), whether a second one
 * did (16), whether anybody wrote (17), and two places (32 to 63); the word for reads has four.
 * Once the granule is shared, all these places are points, and so is every place that touches it.
 *
 * Of a place that a thread has come to very often, only a sample of the memory is looked at: all
 * threads look at the same, and runs of other seeds at another one (rt_may_teach). */
#include "runtime/control/runner.h"
#include "runtime/core/shadow.h"

enum { NUMBERS = UINT16_MAX };
#define SHARED (UINT64_C(1) << 16)
#define WRITTEN (UINT64_C(1) << 17)

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
    struct rt_detail *detail = rt_detail_of(granule);
    uint64_t before = atomic_load_explicit(&detail->write, memory_order_relaxed), first = before;
    uint64_t old = atomic_load_explicit(&detail->read, memory_order_relaxed), second = old;
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
    if (first != before)
        atomic_store_explicit(&detail->write, first, memory_order_relaxed);
    if (second != old)
        atomic_store_explicit(&detail->read, second, memory_order_relaxed);
}

void rt_learn(const struct rt_runner *me, uintptr_t address, size_t size, bool write,
              struct rt_place *place) {
    for (uintptr_t granule = address & ~(uintptr_t)7; granule < address + size; granule += 8)
        if (rt_may_teach(me, granule, 1, place))
            learn_granule(me, granule, write, place);
}
