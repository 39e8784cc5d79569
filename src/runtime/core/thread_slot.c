#include "runtime/core/thread_slot.h"
#include "runtime/core/shadow.h"
#include "runtime/core/spin.h"

/* The next epoch of each slot: so a thread is never mistaken for one that had the slot before.
 * Epoch 0 does not exist. */
static uint64_t next_epochs[RT_SLOTS];
static uint32_t free_slots[RT_SLOTS], free_count, used_slots;
static struct rt_spin slots_lock;
static _Atomic(struct rt_thread *) threads[RT_SLOTS], last_threads[RT_SLOTS];
static _Atomic uint64_t firsts[RT_SLOTS];

_Atomic uint64_t rt_alone_before = UINT64_MAX;

static bool is_anybody_alone(void) {
    return atomic_load_explicit(&rt_alone_before, memory_order_relaxed) == UINT64_MAX;
}

void rt_take_slot(struct rt_thread *t) {
    rt_spin_lock(&slots_lock);
    t->slot = free_count              ? free_slots[--free_count]
              : used_slots < RT_SLOTS ? used_slots++
                                      : RT_SLOTS;
    rt_spin_unlock(&slots_lock);
    t->position = t->ahead = 0;
    t->alone = t->slot == 0 && rt_deferring_freely && is_anybody_alone();
    if (!rt_has_slot(t)) {
        t->me = t->current = t->alike = t->since = RT_STALE;
        return;
    }
    t->base = next_epochs[t->slot] + 1;
    t->first = t->base << RT_EPOCH_AT;
    atomic_store_explicit(&firsts[t->slot], t->first, memory_order_release);
    t->me = (uint64_t)t->slot << RT_SLOT_AT | (uint64_t)RT_OWN << RT_STATE_AT;
    t->current = t->alike = t->stretch = t->me | t->base << RT_EPOCH_AT;
    t->since = t->alike | rt_slow_accesses;
    atomic_store_explicit(&threads[t->slot], t, memory_order_release);
    atomic_store_explicit(&last_threads[t->slot], t, memory_order_release);
}

void rt_give_slot(struct rt_thread *t) {
    if (!rt_has_slot(t))
        return;
    atomic_store_explicit(&threads[t->slot], NULL, memory_order_release);
    rt_spin_lock(&slots_lock);
    next_epochs[t->slot] = t->base + t->position;
    free_slots[free_count++] = t->slot;
    rt_spin_unlock(&slots_lock);
}

uint32_t rt_slot_count(void) {
    return __atomic_load_n(&used_slots, __ATOMIC_RELAXED);
}

uint64_t rt_first_of(uint32_t slot) {
    return atomic_load_explicit(&firsts[slot], memory_order_acquire);
}

struct rt_thread *rt_thread_in(uint32_t slot) {
    return slot < RT_SLOTS ? atomic_load_explicit(&threads[slot], memory_order_acquire) : NULL;
}

/* What belongs to a thread that has ended stays as it is until another one needs the place. */
const struct rt_thread *rt_thread_at(uint32_t slot, uint64_t epoch) {
    const struct rt_thread *t =
        slot < RT_SLOTS ? atomic_load_explicit(&last_threads[slot], memory_order_acquire) : NULL;
    bool same = t && t->slot == slot && epoch >= rt_epoch_of(rt_first_of(slot));
    return same ? t : NULL;
}

void rt_forget_past(const struct rt_thread *t) {
    if (!rt_has_slot(t))
        return;
    _Atomic uint64_t *dead_before = st_stream_dead_before(rt_head);
    rt_spin_lock(&slots_lock);
    bool alone = true;
    for (uint32_t i = 0; i < used_slots && alone; i++)
        alone = i == t->slot || !rt_thread_in(i);
    for (uint32_t i = 0; i < used_slots && alone; i++)
        atomic_store_explicit(&dead_before[i],
                              i == t->slot ? rt_epoch_of(t->current) : next_epochs[i] + 1,
                              memory_order_relaxed);
    rt_spin_unlock(&slots_lock);
}

void rt_end_alone(struct rt_thread *t) {
    if (!is_anybody_alone())
        return;
    atomic_store_explicit(&rt_alone_before, rt_has_slot(t) ? rt_epoch_of(t->current) : 0,
                          memory_order_relaxed);
    t->alone = false;
    t->since = rt_since_of(t) | rt_slow_accesses;
}

/* The first thread goes on meanwhile, and looks at its flag in the next function at the latest. */
void rt_end_alone_unseen(void) {
    struct rt_thread *first = rt_thread_in(0);
    atomic_store_explicit(&rt_alone_before, 0, memory_order_relaxed);
    if (!first)
        return;
    __atomic_store_n(&first->alone, false, __ATOMIC_RELEASE);
    __atomic_store_n(&first->since, RT_STALE, __ATOMIC_RELEASE);
}

void rt_new_epoch(struct rt_thread *t) {
    if (!rt_has_slot(t))
        return;
    if (__builtin_expect(t->base + t->position >= RT_EPOCHS, 0))
        rt_wear_out();
    t->current = t->alike = t->stretch = rt_present(t);
    t->since = rt_since_of(t) | rt_slow_accesses;
}

void rt_new_eager_epoch(struct rt_thread *t) {
    t->base++;
    rt_new_epoch(t);
}

void rt_new_eager_epoch_within(struct rt_thread *t) {
    uint64_t stretch = t->stretch;
    rt_new_eager_epoch(t);
    t->stretch = stretch;
}

/* ---- order ---- */

/* The last sequence numbers that a thread has taken, each with the epoch that ended with it. If a
 * thread has taken one after an access, and another thread has taken or observed that one or a
 * later one since, the watcher orders what they emit in this way anyway. This is so whenever a lock
 * or the like lies between them: accesses need no sequence numbers of their own. */
enum { NOTED = 8 };
static struct noted {
    _Atomic uint64_t epochs[NOTED], sequences[NOTED];
    uint32_t count; /* of all that were noted; for their thread only */
} noted[RT_SLOTS];

void rt_note_sequence(const struct rt_thread *t, uint64_t sequence) {
    if (!rt_has_slot(t))
        return;
    struct noted *list = &noted[t->slot];
    uint32_t i = list->count++ % NOTED;
    /* Whoever reads the same sequence number before and after an epoch knows that they belong
     * together. */
    atomic_store_explicit(&list->sequences[i], UINT64_MAX, memory_order_relaxed);
    atomic_store_explicit(&list->epochs[i], rt_epoch_of(t->current), memory_order_release);
    atomic_store_explicit(&list->sequences[i], sequence, memory_order_release);
}

bool rt_is_ordered(const struct rt_thread *t, uint32_t slot, uint64_t epoch) {
    struct noted *list = &noted[slot];
    for (uint32_t i = 0; i < NOTED; i++) {
        uint64_t sequence = atomic_load_explicit(&list->sequences[i], memory_order_acquire);
        uint64_t ended = atomic_load_explicit(&list->epochs[i], memory_order_acquire);
        if (sequence && sequence <= t->sequence && ended >= epoch &&
            atomic_load_explicit(&list->sequences[i], memory_order_relaxed) == sequence)
            return true;
    }
    return false;
}

void rt_slots_reset(void) {
    for (uint32_t i = 0; i < used_slots; i++) {
        atomic_store_explicit(&threads[i], NULL, memory_order_relaxed);
        atomic_store_explicit(&last_threads[i], NULL, memory_order_relaxed);
        noted[i] = (struct noted){.count = 0};
    }
    free_count = used_slots = 0;
    atomic_store_explicit(&rt_alone_before, UINT64_MAX, memory_order_relaxed);
}
