/* Atomic operations: each is a read, a write or both in one step, with a sequence number.
 *
 * A load that finds nothing new (the thread has emitted a load of this memory before, it was not
 * written since, and the thread has learned nothing) is not emitted: threads that spin would fill
 * the trace. In recordings for prediction, the second one is: others can come between two. */
#include "runtime/control/points.h"
#include "runtime/control/waiting.h"
#include "runtime/core/spin.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/flush_deferred.h"
#include "runtime/core/stream_writer.h"
#include "runtime/core/sync_events.h"
#include "runtime/tsan/looks.h"

/* If nothing is deferred, the details may have another use (control/learning.c). */
static void set_words(uintptr_t granule, uint64_t write) {
    struct rt_shadow *shadow = rt_shadow_of(granule);
    if (rt_deferring) {
        rt_set_read(granule, 0, 0);
        rt_set_write(granule, write, 0);
        return;
    }
    atomic_store_explicit(&shadow->read, 0, memory_order_release);
    atomic_store_explicit(&shadow->write, write, memory_order_release);
}

/* From now on only the watcher knows what was done there. */
static void keep(struct rt_thread *t, uintptr_t granule, uint32_t bytes, bool write) {
    struct rt_shadow *shadow = rt_shadow_of(granule);
    uint64_t now = atomic_load_explicit(&shadow->write, memory_order_relaxed);
    if (write || rt_state_of(now) != RT_SHARED) {
        now = rt_with_sequence(RT_SHARED, t->sequence);
        set_words(granule, now);
    }
    rt_keep_shared_read(t, granule, now, bytes, 0, true);
}

/* What an operation did. */
struct effect {
    enum st_stream_atomic kind;
    int order;
    uint64_t before, after;
};

static const enum st_stream_op ops[] = {
    [ST_ATOMIC_LOAD] = ST_STREAM_ATOMIC_READ,      [ST_ATOMIC_FAIL] = ST_STREAM_ATOMIC_READ,
    [ST_ATOMIC_STORE] = ST_STREAM_ATOMIC_WRITE,    [ST_ATOMIC_EXCHANGE] = ST_STREAM_ATOMIC_UPDATE,
    [ST_ATOMIC_COMPARE] = ST_STREAM_ATOMIC_UPDATE, [ST_ATOMIC_ADD] = ST_STREAM_ATOMIC_UPDATE,
    [ST_ATOMIC_BITS] = ST_STREAM_ATOMIC_UPDATE,
};

/* The operation `at` was emitted. If it is the first of several loads with nothing between them,
 * the next one is emitted, too; and so is a load after a write of the same thread, since others can
 * come between these two. */
static void note_operation(struct rt_thread *t, uintptr_t at, bool write, bool first) {
    if (rt_rule && rt_has_slot(t) && (write || first))
        rt_new_eager_epoch(t);
    if (write)
        return;
    t->loaded = at;
    t->loaded_at = t->position;
}

static void emit(uintptr_t address, size_t size, struct effect effect, uintptr_t caller) {
    bool write = effect.kind > ST_ATOMIC_FAIL;
    struct rt_thread *t = rt_self;
    uint32_t bytes = rt_bytes_in(address & ~(uintptr_t)7, address, size);
    bool first = t->loaded != address || t->loaded_at != t->position;
    if (write && (effect.kind == ST_ATOMIC_STORE || effect.before != effect.after))
        rt_changed();
    if (rt_is_ignored(t, effect.kind != ST_ATOMIC_STORE, write))
        return;
    uint64_t before = atomic_load_explicit(&rt_shadow_of(address)->write, memory_order_acquire);
    bool atomic = rt_state_of(before) == RT_SHARED, guard = !write && atomic && before & RT_GUARD;
    bool look =
        rt_deferring_looks && effect.kind == ST_ATOMIC_LOAD && !guard && (address & 7) + size <= 8;
    if (look && rt_defer_look(t, address, bytes, caller))
        return;
    bool goes_on = look && rt_goes_on_looking(t, address, before, bytes);
    rt_emit_frames(t);
    if (guard) {
        rt_receive((const void *)address, 0, caller);
    } else {
        unsigned how = (unsigned)effect.kind | ((unsigned)effect.order & 7) << 4;
        unsigned flags = ST_STREAM_WITH_VALUES;
        rt_take_sequence(t);
        if (rt_values && rt_is_settled(t, before))
            flags |= ST_STREAM_SETTLED;
        for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8) {
            struct rt_view view = rt_load_view(g);
            if (!write && rt_state_of(view.write) == RT_SHARED)
                continue; /* nothing is deferred but looks */
            rt_flush_write(t, g, &view);
            rt_flush_reads(t, g, &view);
        }
        rt_emit(t, st_stream_what(ops[effect.kind], (unsigned)size | flags, address), caller);
        rt_emit(t, st_stream_what(ST_STREAM_VALUES, how, effect.before), effect.after);
        rt_publish(t);
        rt_new_epoch(t);
    }
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8)
        keep(t, g, rt_bytes_in(g, address, size), write);
    if (!guard)
        note_operation(t, address, write, first);
    if (look && rt_deferring_freely)
        rt_note_look(t, address, caller, goes_on);
}

/* Was the load of these bytes emitted, with nothing new since? */
static bool was_emitted(struct rt_thread *t, uintptr_t granule, uint64_t word, uint32_t bytes) {
    const struct rt_shared_read *read = rt_shared_read_of(t, granule);
    return rt_state_of(word) == RT_SHARED && rt_was_shared_read(read, granule, word) &&
           rt_since_of(t) != RT_STALE && rt_is_of(read->mine, t->current) && !(bytes & ~read->mine);
}

/* What a load that is not emitted must find, before and after it: the same shadow word. The load
 * must lie in one granule. */
static bool nothing_new(uintptr_t address, size_t size, uint64_t *word) {
    uintptr_t granule = address & ~(uintptr_t)7;
    uint64_t now = atomic_load_explicit(&rt_shadow_of(address)->write, memory_order_acquire);
    bool same = *word == 0 || *word == now;
    *word = now;
    return same && address + size <= granule + 8 &&
           was_emitted(rt_self, granule, now, rt_bytes_in(granule, address, size));
}

/* One step: the operation, and its event. */
#define ATOMICALLY(operation, kind, before, after)                                                 \
    if (!rt_enter()) {                                                                             \
        operation;                                                                                 \
    } else {                                                                                       \
        struct rt_spin *stripe = rt_stripe_of(address);                                            \
        rt_spin_lock(stripe);                                                                      \
        operation;                                                                                 \
        emit((uintptr_t)address, sizeof *address,                                                  \
             (struct effect){kind, order, (uint64_t)(before), (uint64_t)(after)}, RT_CALLER);      \
        rt_spin_unlock(stripe);                                                                    \
        rt_leave();                                                                                \
    }

#define LOAD_AND_STORE(bits, type)                                                                 \
    RT_EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order);            \
    RT_EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order) {           \
        type value;                                                                                \
        uint64_t word = 0;                                                                         \
        rt_point(ST_POINT_ATOMIC_READ, address, sizeof *address, RT_CALLER);                       \
        if (rt_self && nothing_new((uintptr_t)address, sizeof *address, &word)) {                  \
            LOAD(value, address);                                                                  \
            if (rt_is_settled_there(address) &&                                                    \
                nothing_new((uintptr_t)address, sizeof *address, &word))                           \
                return value;                                                                      \
        }                                                                                          \
        ATOMICALLY(LOAD(value, address), ST_ATOMIC_LOAD, value, value)                             \
        return value;                                                                              \
    }                                                                                              \
    RT_EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order);     \
    RT_EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order) {    \
        rt_point(ST_POINT_ATOMIC_WRITE, address, sizeof *address, RT_CALLER);                      \
        ATOMICALLY(STORE(address, value), ST_ATOMIC_STORE, 0, value)                               \
    }

#define FETCH(bits, type, name, kind, expression)                                                  \
    RT_EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type value, int order);    \
    RT_EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type value, int order) {   \
        type old;                                                                                  \
        rt_point(ST_POINT_ATOMIC_WRITE, address, sizeof *address, RT_CALLER);                      \
        ATOMICALLY(UPDATE(type, old, address, expression), kind, old, expression)                  \
        return old;                                                                                \
    }

#define EXCHANGE_IF(bits, type)                                                                    \
    static bool exchange_if_##bits(volatile type *address, type *expected, type value, int order,  \
                                   uintptr_t caller) {                                             \
        type seen = *expected;                                                                     \
        rt_point(ST_POINT_ATOMIC_WRITE, address, sizeof *address, caller);                         \
        if (!rt_enter()) {                                                                         \
            COMPARE_EXCHANGE(address, &seen, value);                                               \
        } else {                                                                                   \
            struct rt_spin *stripe = rt_stripe_of(address);                                        \
            rt_spin_lock(stripe);                                                                  \
            COMPARE_EXCHANGE(address, &seen, value);                                               \
            bool done = seen == *expected;                                                         \
            emit((uintptr_t)address, sizeof *address,                                              \
                 (struct effect){done ? ST_ATOMIC_COMPARE : ST_ATOMIC_FAIL, order, (uint64_t)seen, \
                                 (uint64_t)(done ? value : seen)},                                 \
                 caller);                                                                          \
            rt_spin_unlock(stripe);                                                                \
            rt_leave();                                                                            \
        }                                                                                          \
        bool done = seen == *expected;                                                             \
        if (!done)                                                                                 \
            *expected = seen;                                                                      \
        return done;                                                                               \
    }                                                                                              \
    RT_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(                                   \
        volatile type *address, type *expected, type value, int order, int failure);               \
    RT_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(                                   \
        volatile type *address, type *expected, type value, int order, int failure) {              \
        (void)failure;                                                                             \
        return exchange_if_##bits(address, expected, value, order, RT_CALLER);                     \
    }                                                                                              \
    RT_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(                                     \
        volatile type *address, type *expected, type value, int order, int failure);               \
    RT_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(                                     \
        volatile type *address, type *expected, type value, int order, int failure) {              \
        (void)failure;                                                                             \
        return exchange_if_##bits(address, expected, value, order, RT_CALLER);                     \
    }                                                                                              \
    RT_EXPORT type __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile type *address, type expected, type value, int order, int failure);                \
    RT_EXPORT type __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile type *address, type expected, type value, int order, int failure) {               \
        (void)failure;                                                                             \
        exchange_if_##bits(address, &expected, value, order, RT_CALLER);                           \
        return expected;                                                                           \
    }

#define ALL(bits, type)                                                                            \
    LOAD_AND_STORE(bits, type)                                                                     \
    FETCH(bits, type, exchange, ST_ATOMIC_EXCHANGE, value)                                         \
    FETCH(bits, type, fetch_add, ST_ATOMIC_ADD, (type)(old + value))                               \
    FETCH(bits, type, fetch_sub, ST_ATOMIC_ADD, (type)(old - value))                               \
    FETCH(bits, type, fetch_and, ST_ATOMIC_BITS, (type)(old & value))                              \
    FETCH(bits, type, fetch_or, ST_ATOMIC_BITS, (type)(old | value))                               \
    FETCH(bits, type, fetch_xor, ST_ATOMIC_BITS, (type)(old ^ value))                              \
    FETCH(bits, type, fetch_nand, ST_ATOMIC_BITS, (type) ~(old & value))                           \
    EXCHANGE_IF(bits, type)

#define LOAD(value, address) value = __atomic_load_n(address, __ATOMIC_SEQ_CST)
#define STORE(address, value) __atomic_store_n(address, value, __ATOMIC_SEQ_CST)
#define COMPARE_EXCHANGE(address, expected, value)                                                 \
    __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define UPDATE(type, old, address, expression)                                                     \
    do {                                                                                           \
        old = __atomic_load_n(address, __ATOMIC_RELAXED);                                          \
    } while (!__atomic_compare_exchange_n(address, &old, expression, true, __ATOMIC_SEQ_CST,       \
                                          __ATOMIC_SEQ_CST))

ALL(8, uint8_t)
ALL(16, uint16_t)
ALL(32, uint32_t)
ALL(64, uint64_t)

/* 128 bits: the compilers would call libatomic, which knows nothing of our locks; the instruction
 * is on every x86-64 processor that can run this. */
__extension__ typedef unsigned __int128 wide;

#undef LOAD
#undef STORE
#undef COMPARE_EXCHANGE
#undef UPDATE
#define LOAD(value, address) value = __sync_val_compare_and_swap((volatile wide *)(address), 0, 0)
#define STORE(address, value)                                                                      \
    do {                                                                                           \
        wide before_;                                                                              \
        UPDATE(wide, before_, address, value);                                                     \
    } while (0)
#define COMPARE_EXCHANGE(address, expected, value)                                                 \
    *(expected) = __sync_val_compare_and_swap(address, *(expected), value)
#define UPDATE(type, old, address, expression)                                                     \
    do {                                                                                           \
        LOAD(old, address);                                                                        \
    } while (!__sync_bool_compare_and_swap(address, old, expression))

ALL(128, wide)

RT_EXPORT void __tsan_atomic_thread_fence(int order);
RT_EXPORT void __tsan_atomic_thread_fence(int order) {
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

RT_EXPORT void __tsan_atomic_signal_fence(int order);
RT_EXPORT void __tsan_atomic_signal_fence(int order) {
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
