/* Which accesses are points: those to memory that threads were seen to share. */
#ifndef SERIATIM_RUNTIME_CONTROL_LEARNING_H
#define SERIATIM_RUNTIME_CONTROL_LEARNING_H

#include "runtime/control/runner.h"

void rt_learning_start(void);
void rt_number_begins(struct rt_runner *runner);
void rt_number_ends(const struct rt_runner *runner);
void rt_learn(const struct rt_runner *me, uintptr_t address, size_t size, bool write,
              struct rt_place *place);

/* Where a thread comes more often, it learns from a sample of the memory. */
enum { RT_OFTEN = 4096 };
static inline bool rt_is_in_sample(uintptr_t address) {
    enum { A_PAGE_OF_DETAILS = 11, ONE_IN_16 = 60 };
    uint64_t page = address >> A_PAGE_OF_DETAILS;
    return (page + rt_control.sample) * UINT64_C(0x9e3779b97f4a7c15) >> ONE_IN_16 == 0;
}

/* Quickly: might rt_learn learn something? */
static inline bool rt_may_teach(const struct rt_runner *me, uintptr_t address, size_t size,
                                const struct rt_place *place) {
    return size > 8 || !me->counts || me->counts[place->id] <= RT_OFTEN || rt_is_in_sample(address);
}

#endif
