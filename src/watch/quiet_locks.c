/* Locks without events: what a thread says that it holds, and what it held at a deferred access
 * (stream.h: quiet_locks). Reports need nothing else of them, where locks make no order. */
#include "watch/translator_state.h"

#include "base/memory.h"
#include "watch/merge/items.h"

#include <string.h>

/* What the thread was in when it took the lock. */
static uint32_t find_call(struct st_translator *t, const struct st_stream_record *since) {
    uint64_t epoch = since->argument >> 16;
    uint32_t number = st_slots_thread(&t->slots, since->argument & 0xffff, epoch);
    const struct st_past *past = number == ST_SLOT_NONE ? NULL : st_translate_past(t, number);
    struct st_past_context then = past ? st_past_find(past, epoch) : (struct st_past_context){0};
    for (unsigned i = 1; i <= st_stream_aux(since); i++) {
        const struct st_stream_record *caller = &since[i];
        bool open = st_stream_aux(caller) && i < st_stream_aux(since);
        i += open;
        if (!open || caller[1].argument >> 16 > then.epoch)
            then.call =
                st_sites_call(&t->sites, (struct st_call){caller->argument,
                                                          st_stream_address(caller), then.call});
    }
    return then.call;
}

/* The lock that a record is about, as `thread` holds it, which emits the record. */
static struct lock_held lock_of(struct st_translator *t, const struct thread *thread,
                                const struct st_stream_record *record) {
    uint64_t address = st_stream_address(record), pc = record->argument;
    unsigned how = st_stream_aux(record), kind = how & ST_STREAM_HOLDS_KIND;
    uint32_t call = how & ST_STREAM_HOLDS_SINCE ? find_call(t, &record[1]) : call_of(thread);
    struct lock_held held = {
        .quiet = true, .acquired = st_sites_acquire(&t->sites, (struct st_acquire){pc, call})};
    if (kind == ST_STREAM_READING || kind == ST_STREAM_WRITING) {
        const struct st_sync_object *object = st_translate_rwlock_at(t, address);
        held.object = (uint32_t)(object - t->shared.list) | SHARED_OBJECT;
        held.number =
            object->number | ST_HELD_SHARED | (kind == ST_STREAM_READING ? ST_HELD_READ : 0);
    } else {
        const struct st_sync_object *object = st_translate_mutex_at(t, thread, address, pc);
        held.object = (uint32_t)(object - t->locks.list);
        held.number = object->number;
    }
    return held;
}

/* ---- what a thread holds ---- */

void st_translate_holds_nothing(struct st_translator *t, struct thread *thread) {
    size_t kept = 0, first;
    while (kept < thread->lock_count && !thread->locks[kept].quiet)
        kept++;
    first = kept;
    for (size_t i = kept; i < thread->lock_count; i++)
        if (!thread->locks[i].quiet)
            thread->locks[kept++] = thread->locks[i];
    thread->lock_count = kept;
    thread->last_pc = 0;
    if (first < kept)
        st_translate_relist(t, thread);
}

/* It was acquired again, and counts once. */
static bool is_among(const struct lock_held *locks, size_t count, uint32_t number) {
    for (size_t i = 0; i < count; i++)
        if (locks[i].quiet && locks[i].number == number)
            return true;
    return false;
}

void st_translate_holds(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record) {
    unsigned how = st_stream_aux(record);
    if (!(how & ST_STREAM_HOLDS_TOO))
        st_translate_holds_nothing(t, thread);
    if (how & ST_STREAM_HOLDS_NOTHING)
        return;
    struct lock_held lock = lock_of(t, thread, record);
    if (!is_among(thread->locks, thread->lock_count, lock.number))
        st_translate_hold(t, thread, lock, record->argument);
}

/* ---- what it held at a deferred access ---- */

/* Where its thread was then is not known before all is translated that comes before the access. */
void st_translate_held(struct thread *emitter, const struct st_stream_record *record,
                       size_t length) {
    enum { MOST = 1024 }; /* far more than anybody holds */
    if (st_stream_aux(record) & ST_STREAM_HOLDS_NOTHING || emitter->then_count + length > MOST) {
        emitter->then_unknown = true;
        return;
    }
    st_reserve(&emitter->then, &emitter->then_capacity, emitter->then_count + length);
    memcpy(&emitter->then[emitter->then_count], record, length * sizeof *record);
    emitter->then_count += length;
}

uint32_t st_translate_held_then(struct st_translator *t, const struct thread *emitter,
                                uint32_t held) {
    struct lock_held locks[16];
    size_t count = 0, length;
    for (size_t i = 0; i < emitter->then_count && count < sizeof locks / sizeof *locks;
         i += length) {
        length = st_item_length(&emitter->then[i], emitter->then_count - i);
        struct lock_held lock = lock_of(t, emitter, &emitter->then[i]);
        if (is_among(locks, count, lock.number))
            continue;
        locks[count++] = lock;
        held = st_sites_held(&t->sites, (struct st_held){lock.number, held, lock.acquired});
    }
    return held;
}
