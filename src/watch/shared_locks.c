/* Locks that are no mutexes: reader-writer locks, and semaphores. In a trace they are channels
 * (docs/trace-format.md).
 *
 * A semaphore can be a lock or a signal. A thread holds it if it has waited for it more often than
 * it has posted it, and if the semaphore was made with a value of at least 1. A post by a thread
 * that holds it releases it; any other post is a signal. As soon as there was one, the semaphore
 * counts as a signal: nobody is said to hold it, and inferred blocks are split where a thread has
 * waited for it. A semaphore that was made with 0, or nobody saw when, is a signal from the
 * start. */
#include "base/memory.h"
#include "watch/translator_state.h"

#include <stdio.h>
#include <string.h>

/* Objects of mutexes and these have numbers of their own. */
#define SHARED_OBJECT (UINT32_C(1) << 31)

/* ---- by address ---- */

static uint32_t index_of(const struct st_translator *t, const struct st_sync_object *object) {
    return (uint32_t)(object - t->shared.list);
}

static struct st_shared_lock *facts_of(struct st_translator *t,
                                       const struct st_sync_object *object) {
    uint32_t index = index_of(t, object);
    st_reserve(&t->shared_facts, &t->shared_capacity, (size_t)index + 1);
    return &t->shared_facts[index];
}

static uint32_t add_channel(struct st_translator *t, uint32_t lock, enum st_channel_kind kind) {
    char name[ST_LONGEST_NAME + 64];
    snprintf(name, sizeof name, "%s%s", st_name(&t->symbols.shared_locks, lock),
             st_channel_suffix(kind));
    return st_names_add(&t->symbols.channels, name, strlen(name));
}

/* Gives it its number, its name, and its channels. So many can hold it; 0: it is a signal. */
static __attribute__((noinline)) void
make_lock(struct st_translator *t, struct st_sync_object *object, bool semaphore, unsigned value) {
    char name[ST_LONGEST_NAME + 16];
    bool may_be_lock = value != 0;
    struct st_shared_lock *lock = facts_of(t, object);
    *lock = (struct st_shared_lock){.may_be_lock = may_be_lock, .signals = !may_be_lock};
    st_translate_name(t, st_variables_place(&t->variables, object->address), name, ST_LONGEST_NAME);
    if (value > 1) /* several threads can hold it */
        strcat(name, ST_SEVERAL_HOLD);
    object->number = 0;
    if (!may_be_lock) {
        lock->signal = st_translate_unique(&t->symbols.channels, &t->channel_repeats, name);
    } else {
        object->number = st_translate_unique(&t->symbols.shared_locks, &t->shared_repeats, name);
        if (semaphore) {
            lock->whole = add_channel(t, object->number, ST_WHOLE_LOCK);
            lock->signal = add_channel(t, object->number, ST_SIGNAL_SIDE);
        } else {
            lock->write = add_channel(t, object->number, ST_WRITE_SIDE);
            lock->read = add_channel(t, object->number, ST_READ_SIDE);
        }
    }
    st_symbols_note_channels(&t->symbols);
}

static struct st_sync_object *lock_at(struct st_translator *t, uint64_t address, bool semaphore) {
    struct st_sync_object *object = st_object_at(&t->shared, address, semaphore);
    if (object->number == ST_NO_OBJECT)
        make_lock(t, object, semaphore, semaphore ? 0 : 1);
    return object;
}

/* ---- who holds them ---- */

static struct lock_held *find_held(struct thread *thread, uint32_t object, uint32_t number) {
    for (size_t i = thread->lock_count; i > 0; i--) {
        struct lock_held *held = &thread->locks[i - 1];
        if (held->object == object && held->number == number)
            return held;
    }
    return NULL;
}

static void hold(struct st_translator *t, struct thread *thread,
                 const struct st_sync_object *object, uint32_t flags, bool hidden) {
    struct lock_held held = {.object = index_of(t, object) | SHARED_OBJECT,
                             .number = object->number | ST_HELD_SHARED | flags,
                             .hidden = hidden};
    struct lock_held *known = find_held(thread, held.object, held.number);
    if (known)
        known->count++;
    else
        st_translate_hold(t, thread, held);
}

/* Did the thread hold it? */
static bool let_go(struct st_translator *t, struct thread *thread,
                   const struct st_sync_object *object, uint32_t flags) {
    uint32_t number = object->number | ST_HELD_SHARED | flags;
    struct lock_held *held = find_held(thread, index_of(t, object) | SHARED_OBJECT, number);
    if (!held)
        return false;
    if (held->count) {
        held->count--;
        return true;
    }
    bool hidden = held->hidden;
    st_translate_drop(t, thread, held);
    if (!hidden)
        st_translate_section_over(t, thread);
    return true;
}

static void hide_from(struct st_translator *t, struct thread *thread, uint32_t object) {
    bool any = false;
    for (size_t i = 0; i < thread->lock_count; i++) {
        any |= thread->locks[i].object == object && !thread->locks[i].hidden;
        thread->locks[i].hidden |= thread->locks[i].object == object;
    }
    if (any)
        st_translate_relist(t, thread);
}

/* Somebody posted it who does not hold it. */
static __attribute__((noinline)) void become_signal(struct st_translator *t,
                                                    const struct st_sync_object *object) {
    facts_of(t, object)->signals = true;
    for (uint32_t i = 0; i < t->serials.count; i++)
        if (t->threads[i])
            hide_from(t, t->threads[i], index_of(t, object) | SHARED_OBJECT);
}

/* ---- events ---- */

static void begin_section(struct st_translator *t, struct thread *thread,
                          const struct st_sync_object *object, uint64_t pc) {
    st_translate_section(t, thread, st_name(&t->symbols.shared_locks, object->number), pc);
}

static void acquire_rwlock(struct st_translator *t, struct thread *thread,
                           const struct st_stream_record *record, bool reading) {
    struct st_sync_object *object = lock_at(t, st_stream_address(record), false);
    struct st_shared_lock lock = *facts_of(t, object);
    begin_section(t, thread, object, record->argument);
    uint64_t loc = loc_at(t, thread, record->argument);
    emit(t, thread, ST_RECEIVE, lock.write, loc);
    if (!reading)
        emit(t, thread, ST_RECEIVE, lock.read, loc);
    hold(t, thread, object, reading ? ST_HELD_READ : 0, false);
}

static void release_rwlock(struct st_translator *t, struct thread *thread,
                           const struct st_stream_record *record, bool reading) {
    struct st_sync_object *object = lock_at(t, st_stream_address(record), false);
    struct st_shared_lock lock = *facts_of(t, object);
    emit(t, thread, ST_SEND, reading ? lock.read : lock.write, loc_at(t, thread, record->argument));
    let_go(t, thread, object, reading ? ST_HELD_READ : 0);
}

static void wait_for_semaphore(struct st_translator *t, struct thread *thread,
                               const struct st_stream_record *record) {
    struct st_sync_object *object = lock_at(t, st_stream_address(record), true);
    struct st_shared_lock lock = *facts_of(t, object);
    if (lock.signals) {
        st_translate_split(t, thread, ST_SPLIT_HERE);
        emit(t, thread, ST_RECEIVE, lock.signal, loc_at(t, thread, record->argument));
    } else {
        begin_section(t, thread, object, record->argument);
    }
    if (lock.may_be_lock) {
        emit(t, thread, ST_RECEIVE, lock.whole, loc_at(t, thread, record->argument));
        hold(t, thread, object, 0, lock.signals);
    }
}

static void post_semaphore(struct st_translator *t, struct thread *thread,
                           const struct st_stream_record *record) {
    struct st_sync_object *object = lock_at(t, st_stream_address(record), true);
    struct st_shared_lock lock = *facts_of(t, object);
    uint64_t loc = loc_at(t, thread, record->argument);
    uint32_t number = object->number | ST_HELD_SHARED;
    if (lock.may_be_lock && find_held(thread, index_of(t, object) | SHARED_OBJECT, number)) {
        emit(t, thread, ST_SEND, lock.whole, loc);
        let_go(t, thread, object, 0);
        return;
    }
    if (!lock.signals)
        become_signal(t, object);
    emit(t, thread, ST_SEND, lock.signal, loc);
}

void st_translate_shared(struct st_translator *t, struct thread *thread,
                         const struct st_stream_record *record, bool acquire) {
    unsigned how = st_stream_aux(record);
    switch (how) {
    case ST_STREAM_WRITING:
    case ST_STREAM_READING:
        (acquire ? acquire_rwlock : release_rwlock)(t, thread, record, how == ST_STREAM_READING);
        break;
    case ST_STREAM_SEMAPHORE:
        (acquire ? wait_for_semaphore : post_semaphore)(t, thread, record);
        break;
    default:
        t->facts.garbage++;
    }
}

/* Opening it again does not make it anew. */
void st_translate_semaphore(struct st_translator *t, const struct st_stream_record *record) {
    struct st_sync_object *object = st_object_at(&t->shared, st_stream_address(record), true);
    unsigned value = st_stream_aux(record);
    bool opened = value & ST_STREAM_OPENED;
    if (!opened || object->number == ST_NO_OBJECT)
        make_lock(t, object, true, value & ~(unsigned)ST_STREAM_OPENED);
}
