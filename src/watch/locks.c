/* Locks, critical sections and channels: by address, and as events. */
#include "spec/sections.h"
#include "watch/locks.h"

#include "base/memory.h"
#include "watch/translator_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- by address ---- */

enum { PAGE_BITS = 12 };

void st_objects_init(struct st_objects *objects) {
    *objects = (struct st_objects){0};
    st_map64_init(&objects->map);
    st_map64_init(&objects->pages);
    st_sparse_init(&objects->live_pages);
}

void st_objects_free(struct st_objects *objects) {
    st_map64_free(&objects->map);
    st_map64_free(&objects->pages);
    st_sparse_free(&objects->live_pages);
    free(objects->list);
    free(objects->first);
}

/* Puts an object that is new, or that was gone, into the list of its page. */
static __attribute__((noinline)) void enter(struct st_objects *objects, uint32_t index,
                                            uint64_t address) {
    uint32_t page = st_map64_number(&objects->pages, address >> PAGE_BITS);
    st_reserve(&objects->first, &objects->first_capacity, (size_t)page + 1);
    st_reserve(&objects->list, &objects->capacity, (size_t)index + 1);
    if (!objects->first[page])
        st_sparse_add(&objects->live_pages, address >> PAGE_BITS);
    objects->list[index] = (struct st_sync_object){
        .address = address, .number = ST_NO_OBJECT, .next = objects->first[page]};
    objects->first[page] = index + 1;
}

struct st_sync_object *st_object_at(struct st_objects *objects, uint64_t address,
                                    unsigned channel) {
    uint32_t before = objects->map.count;
    uint32_t index = st_map64_number(&objects->map, address << 8 | channel);
    if (__builtin_expect(index == before || objects->list[index].next == ST_NO_OBJECT, 0))
        enter(objects, index, address);
    return &objects->list[index];
}

static void forget_in_page(struct st_objects *objects, uint64_t page, uint64_t start,
                           uint64_t end) {
    uint32_t number = st_map64_find(&objects->pages, page);
    if (number == ST_MAP64_NONE || !objects->first[number])
        return;
    for (uint32_t *link = &objects->first[number]; *link;) {
        struct st_sync_object *object = &objects->list[*link - 1];
        if (object->address < start || object->address >= end) {
            link = &object->next;
            continue;
        }
        *link = object->next;
        object->number = object->next = ST_NO_OBJECT;
        object->holder = object->count = 0;
    }
    if (!objects->first[number])
        st_sparse_remove(&objects->live_pages, page);
}

void st_objects_forget(struct st_objects *objects, uint64_t address, uint64_t length) {
    uint64_t end = address + length;
    if (!objects->map.count || length == 0 || end < address)
        return;
    uint64_t page = address >> PAGE_BITS, last = (end - 1) >> PAGE_BITS;
    for (; page <= last; page++) {
        if (page < last)
            page = st_sparse_next(&objects->live_pages, page);
        if (page > last)
            return;
        forget_in_page(objects, page, address, end);
    }
}

/* ---- events on locks ---- */

/* Critical sections of OpenMP are locks that nobody sees in the source: gcc and clang name their
 * variables after them, ".gomp_critical_user_NAME" and the same with ".var". Those of the runtime
 * stand for the ones that have no variable (runtime/parallel/omp_locks.c). */
static void spell_critical(char *name, size_t size) {
    static const char start[] = ".gomp_critical_user_", runtime[] = "__seriatim_omp_";
    char copy[ST_LONGEST_NAME];
    snprintf(copy, sizeof copy, "%s", name);
    if (strncmp(copy, runtime, strlen(runtime)) == 0) {
        snprintf(name, size, "omp %s", copy + strlen(runtime));
    } else if (strncmp(copy, start, strlen(start)) == 0) {
        char *user = copy + strlen(start), *end = user + strlen(user);
        if (end - user >= 4 && strcmp(end - 4, ".var") == 0)
            end[-4] = '\0';
        snprintf(name, size, *user ? "omp critical (%s)" : "omp critical", user);
    }
}

static __attribute__((noinline)) void name_lock(struct st_translator *t,
                                                const struct thread *thread,
                                                struct st_sync_object *lock, uint64_t pc) {
    char name[ST_LONGEST_NAME];
    st_translate_name_lock(t, st_variables_place(&t->variables, lock->address),
                           st_translate_user_call(t, thread, pc), name, sizeof name);
    spell_critical(name, sizeof name);
    lock->number = st_translate_unique(&t->symbols.locks, &t->lock_repeats, name);
    lock->holder = lock->count = 0;
}

static bool has_sections(const struct st_translator *t) {
    return t->options.spec && st_spec_section_line(t->options.spec);
}

static __attribute__((noinline)) void begin_section(struct st_translator *t, struct thread *thread,
                                                    const char *lock, uint64_t pc) {
    char name[2 * ST_LONGEST_NAME], where[ST_LONGEST_NAME];
    struct st_code code;
    uint64_t user = st_translate_user_call(t, thread, pc);
    st_places_user_line(t->places, user, &code, where, sizeof where);
    snprintf(name, sizeof name, ST_SECTION_OF "%s at %s", lock, where);
    uint32_t block = st_names_add(&t->symbols.blocks, name, strlen(name));
    st_translate_begin_block(t, thread, (struct frame){.kind = SECTION, .block = block}, pc);
}

void st_translate_section(struct st_translator *t, struct thread *thread, const char *lock,
                          uint64_t pc) {
    if (has_sections(t) && !held_by(thread))
        begin_section(t, thread, lock, pc);
}

void st_translate_section_over(struct st_translator *t, struct thread *thread) {
    if (has_sections(t) && !held_by(thread))
        st_translate_end_section(t, thread);
}

/* The number of those locks and this one. */
static uint32_t with(struct st_translator *t, const struct lock_held *lock, uint32_t rest) {
    const struct st_held held = {lock->number, rest, lock->acquired};
    return lock->hidden ? rest : st_sites_held(&t->sites, held);
}

/* Lists the locks from this one on again. */
static void list_from(struct st_translator *t, struct thread *thread, size_t first) {
    for (size_t i = first; i < thread->lock_count; i++) {
        struct lock_held *lock = &thread->locks[i];
        uint32_t rest = i ? thread->locks[i - 1].held : 0;
        uint32_t heard = i ? thread->locks[i - 1].heard : 0;
        lock->held = with(t, lock, rest);
        lock->heard = lock->quiet ? heard : heard == rest ? lock->held : with(t, lock, heard);
    }
    thread->last_pc = 0;
}

void st_translate_relist(struct st_translator *t, struct thread *thread) {
    list_from(t, thread, 0);
    change_context(thread);
}

void st_translate_hold(struct st_translator *t, struct thread *thread, struct lock_held lock,
                       uint64_t pc) {
    st_reserve(&thread->locks, &thread->lock_capacity, thread->lock_count + 1);
    if (!t->options.outline && !lock.acquired)
        lock.acquired = st_sites_acquire(&t->sites, (struct st_acquire){pc, call_of(thread)});
    thread->locks[thread->lock_count++] = lock;
    list_from(t, thread, thread->lock_count - 1);
    if (!lock.quiet)
        change_context(thread);
}

void st_translate_drop(struct st_translator *t, struct thread *thread, struct lock_held *lock) {
    size_t i = (size_t)(lock - thread->locks);
    memmove(lock, lock + 1, (--thread->lock_count - i) * sizeof *lock);
    list_from(t, thread, i);
    change_context(thread);
}

struct st_sync_object *st_translate_mutex_at(struct st_translator *t, const struct thread *thread,
                                             uint64_t address, uint64_t pc) {
    struct st_sync_object *lock = st_object_at(&t->locks, address, 0);
    if (lock->number == ST_NO_OBJECT)
        name_lock(t, thread, lock, pc);
    return lock;
}

void st_translate_acquire(struct st_translator *t, struct thread *thread,
                          const struct st_stream_record *record) {
    bool tried = st_stream_aux(record) == ST_STREAM_TRIED;
    if (__builtin_expect(st_stream_aux(record) != ST_STREAM_MUTEX && !tried, 0)) {
        st_translate_shared(t, thread, record, true);
        return;
    }
    struct st_sync_object *lock = st_object_at(&t->locks, st_stream_address(record), 0);
    bool again = lock->holder == thread->number + 1;
    if (lock->number == ST_NO_OBJECT || (lock->holder && !again)) {
        name_lock(t, thread, lock,
                  record->argument); /* or it was released unseen: from now on it is another lock */
        again = false;
    }
    if (!again)
        st_translate_section(t, thread, st_name(&t->symbols.locks, lock->number), record->argument);
    emit_event(t,
               (struct st_event){.thread = thread->number,
                                 .target = lock->number,
                                 .loc = loc_at(t, thread, record->argument),
                                 .written = ST_ACQUIRE,
                                 .atomic = tried,
                                 .op = ST_ACQUIRE},
               thread->at);
    lock->holder = thread->number + 1;
    lock->count++;
    if (!again)
        st_translate_hold(
            t, thread,
            (struct lock_held){.object = (uint32_t)(lock - t->locks.list), .number = lock->number},
            record->argument);
}

static void drop_lock(struct st_translator *t, struct thread *thread, uint32_t object) {
    for (size_t i = thread->lock_count; i > 0; i--)
        if (thread->locks[i - 1].object == object)
            st_translate_drop(t, thread, &thread->locks[i - 1]);
}

void st_translate_release(struct st_translator *t, struct thread *thread,
                          const struct st_stream_record *record) {
    if (__builtin_expect(st_stream_aux(record) != ST_STREAM_MUTEX, 0)) {
        st_translate_shared(t, thread, record, false);
        return;
    }
    struct st_sync_object *lock = st_object_at(&t->locks, st_stream_address(record), 0);
    uint32_t object = (uint32_t)(lock - t->locks.list);
    if (lock->number == ST_NO_OBJECT || lock->holder != thread->number + 1) {
        t->facts.odd_releases++;
        lock->number = ST_NO_OBJECT;
        drop_lock(t, thread, object);
        return;
    }
    emit(t, thread, ST_RELEASE, lock->number, loc_at(t, thread, record->argument));
    if (--lock->count)
        return;
    lock->holder = 0;
    drop_lock(t, thread, object);
    st_translate_section_over(t, thread);
}

/* ---- locks that are no mutexes ---- */

/* Reader-writer locks, and semaphores. In a trace they are channels (docs/trace-format.md).
 *
 * A semaphore can be a lock or a signal. A thread holds it if it has waited for it more often than
 * it has posted it, and if the semaphore was made with a value of at least 1. A post by a thread
 * that holds it releases it; any other post is a signal. As soon as there was one, the semaphore
 * counts as a signal: nobody is said to hold it, and inferred blocks are split where a thread has
 * waited for it. A semaphore that was made with 0, or nobody saw when, is a signal from the
 * start. */

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

struct st_sync_object *st_translate_rwlock_at(struct st_translator *t, uint64_t address) {
    return lock_at(t, address, false);
}

static struct lock_held *find_held(struct thread *thread, uint32_t object, uint32_t number) {
    for (size_t i = thread->lock_count; i > 0; i--) {
        struct lock_held *held = &thread->locks[i - 1];
        if (held->object == object && held->number == number)
            return held;
    }
    return NULL;
}

static void hold(struct st_translator *t, struct thread *thread,
                 const struct st_sync_object *object, uint32_t flags, bool hidden, uint64_t pc) {
    struct lock_held held = {.object = index_of(t, object) | SHARED_OBJECT,
                             .number = object->number | ST_HELD_SHARED | flags,
                             .hidden = hidden};
    struct lock_held *known = find_held(thread, held.object, held.number);
    if (known)
        known->count++;
    else
        st_translate_hold(t, thread, held, pc);
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

static void begin_shared_section(struct st_translator *t, struct thread *thread,
                                 const struct st_sync_object *object, uint64_t pc) {
    st_translate_section(t, thread, st_name(&t->symbols.shared_locks, object->number), pc);
}

static void acquire_rwlock(struct st_translator *t, struct thread *thread,
                           const struct st_stream_record *record, bool reading) {
    struct st_sync_object *object = lock_at(t, st_stream_address(record), false);
    struct st_shared_lock lock = *facts_of(t, object);
    begin_shared_section(t, thread, object, record->argument);
    uint64_t loc = loc_at(t, thread, record->argument);
    emit(t, thread, ST_RECEIVE, lock.write, loc);
    if (!reading)
        emit(t, thread, ST_RECEIVE, lock.read, loc);
    hold(t, thread, object, reading ? ST_HELD_READ : 0, false, record->argument);
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
        begin_shared_section(t, thread, object, record->argument);
    }
    if (lock.may_be_lock) {
        emit(t, thread, ST_RECEIVE, lock.whole, loc_at(t, thread, record->argument));
        hold(t, thread, object, 0, lock.signals, record->argument);
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

/* ---- events on channels ---- */

/* Objects have several channels, which mean something to the runtime only: "queue.ready", and
 * "queue.ready #2" for another channel of the same object. */
static __attribute__((noinline)) void
name_channel(struct st_translator *t, struct st_sync_object *channel, unsigned number) {
    static const char *const meanings[] = {
        [ST_CHANNEL_FORK - ST_CHANNEL_FIRST] = ST_TEAM_BEGINS,
        [ST_CHANNEL_BARRIER - ST_CHANNEL_FIRST] = ST_TEAM_MEETS,
        [ST_CHANNEL_BARRIER_ODD - ST_CHANNEL_FIRST] = ST_TEAM_MEETS,
        [ST_CHANNEL_TASK - ST_CHANNEL_FIRST] = "omp task",
        [ST_CHANNEL_TASKWAIT - ST_CHANNEL_FIRST] = "omp taskwait",
        [ST_CHANNEL_TASKGROUP - ST_CHANNEL_FIRST] = "omp taskgroup",
        [ST_CHANNEL_ORDERED - ST_CHANNEL_FIRST] = "omp ordered",
        [ST_CHANNEL_DOACROSS - ST_CHANNEL_FIRST] = "omp ordered depend",
        [ST_CHANNEL_REDUCTION - ST_CHANNEL_FIRST] = "omp reduction",
        [ST_CHANNEL_DETACHED - ST_CHANNEL_FIRST] = "omp task detach",
        [ST_CHANNEL_SPAWN - ST_CHANNEL_FIRST] = "tbb task",
        [ST_CHANNEL_ARENA - ST_CHANNEL_FIRST] = "tbb arena",
        [ST_CHANNEL_OUTSIDE - ST_CHANNEL_FIRST] = "outside"};
    const char *prefix = number == ST_CHANNEL_REFERENCES ? ST_REFERENCES_TO : "";
    char name[ST_LONGEST_NAME + sizeof ST_REFERENCES_TO];
    int length = snprintf(name, sizeof name, "%s", prefix);
    if (number >= ST_CHANNEL_FIRST && number <= ST_CHANNEL_LAST_OF_RUNTIME)
        snprintf(name, sizeof name, "%s", meanings[number - ST_CHANNEL_FIRST]);
    else
        st_translate_name(t, st_variables_place(&t->variables, channel->address), name + length,
                          ST_LONGEST_NAME);
    channel->number = st_translate_unique(&t->symbols.channels, &t->channel_repeats, name);
    st_symbols_note_channels(&t->symbols);
}

/* A semaphore that a thread posts without having waited for it is no lock but a signal, and who
 * waits for a signal does it on purpose. That is enough to split what a thread starts with. */
static bool note_signal(const struct thread *thread, struct st_sync_object *channel,
                        enum st_op op) {
    if (op == ST_SEND) {
        channel->count |= channel->holder != thread->number + 1;
        channel->holder = 0;
        return false;
    }
    channel->holder = thread->number + 1;
    return channel->count && thread->depth && thread->frames[thread->depth - 1].start;
}

void st_translate_channel(struct st_translator *t, struct thread *thread,
                          const struct st_stream_record *record, enum st_op op) {
    struct st_sync_object *channel =
        st_object_at(&t->channels, st_stream_address(record), st_stream_aux(record));
    if (channel->number == ST_NO_OBJECT)
        name_channel(t, channel, st_stream_aux(record));
    if (note_signal(thread, channel, op) && st_stream_aux(record) == 0)
        st_translate_split(t, thread, ST_SPLIT_HERE);
    emit(t, thread, op, channel->number, loc_at(t, thread, record->argument));
}
