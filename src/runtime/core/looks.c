#include "runtime/core/looks.h"
#include "runtime/core/call_stack.h"

/* Of the functions that are open only the innermost is compared, how many there are, and where
 * those are called from that the thread starts with. */
static struct rt_look look_of(const struct rt_thread *t, uintptr_t address, uintptr_t caller) {
    struct rt_look look = {.address = address, .caller = caller, .depth = t->depth};
    if (t->depth) {
        look.function = t->frames[t->depth - 1].function;
        look.called_from = t->frames[t->depth - 1].called_from;
    }
    for (size_t i = 0; i < t->depth && i <= t->start_depth; i++)
        look.start = look.start * 31 + t->frames[i].called_from;
    return look;
}

static bool is_same(const struct rt_look *a, const struct rt_look *b) {
    return a->address == b->address && a->caller == b->caller && a->depth == b->depth &&
           a->function == b->function && a->called_from == b->called_from && a->start == b->start;
}

bool rt_looks_again(struct rt_thread *t, uintptr_t address, uintptr_t caller) {
    struct rt_look look = look_of(t, address, caller);
    if (!rt_is_looking(t))
        return false;
    bool at_start = rt_is_looking_at_start(t);
    for (size_t i = 0; i < t->looks.count && i < RT_LOOKS; i++)
        if (is_same(&t->looks.list[i], &look) && (!at_start || i == t->looks.last)) {
            t->looks.last = i;
            return true;
        }
    return false;
}

void rt_note_look(struct rt_thread *t, uintptr_t address, uintptr_t caller, bool goes_on) {
    if (!goes_on) {
        t->looks.count = 0;
        __atomic_store_n(&t->looks.since, rt_epoch_of(t->current), __ATOMIC_RELAXED);
    }
    t->looks.last = t->looks.count++ % RT_LOOKS;
    t->looks.list[t->looks.last] = look_of(t, address, caller);
    t->looks.end = t->position;
}
