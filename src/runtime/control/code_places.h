/* Places in the code, and their names in other runs. */
#ifndef SERIATIM_RUNTIME_CONTROL_CODE_PLACES_H
#define SERIATIM_RUNTIME_CONTROL_CODE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_PLACES = 1 << 16 };

struct rt_place {
    uintptr_t caller; /* a return address */
    uint64_t site;
    uint16_t id;                    /* 0: there are too many */
    bool point;                     /* accesses here are points */
    bool first, other, last, outer; /* of the plan's hold and list */
    uint16_t steps, entries;        /* of the plan: bit i stands for step i */
    bool of_teams; /* in a library that runs teams or tasks: accesses here are no events, since
                      their number follows from the environment, and they decide nothing */
};

void rt_read_plan_sites(void);

/* Does the address belong to the program or a library? */
bool rt_is_code(uintptr_t address);

struct rt_place *rt_place_slow(uintptr_t caller);
extern struct rt_place *rt_place_cache[1 << 12];

static inline size_t rt_place_index(uintptr_t caller) {
    return (caller >> 2 ^ caller >> 14) & ((1 << 12) - 1);
}

/* Never NULL. */
static inline struct rt_place *rt_place_of(uintptr_t caller) {
    struct rt_place *cached = rt_place_cache[rt_place_index(caller)];
    if (__builtin_expect(cached && cached->caller == caller, 1))
        return cached;
    return rt_place_slow(caller);
}

/* The place with this id, which is not 0. */
struct rt_place *rt_place_with(uint16_t id);

/* Accesses there are points from now on. */
void rt_learn_place(struct rt_place *place);

#endif
