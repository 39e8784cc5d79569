/* Locks, critical sections and channels: by address, and as events. */
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
}

void st_objects_free(struct st_objects *objects) {
    st_map64_free(&objects->map);
    st_map64_free(&objects->pages);
    free(objects->list);
    free(objects->first);
}

static __attribute__((noinline)) void enter(struct st_objects *objects, uint32_t index,
                                            uint64_t address) {
    uint32_t page = st_map64_number(&objects->pages, address >> PAGE_BITS);
    st_reserve(&objects->first, &objects->first_capacity, (size_t)page + 1);
    st_reserve(&objects->list, &objects->capacity, (size_t)index + 1);
    objects->list[index] = (struct st_sync_object){
        .address = address, .number = ST_NO_OBJECT, .next = objects->first[page]};
    objects->first[page] = index + 1;
}

struct st_sync_object *st_object_at(struct st_objects *objects, uint64_t address,
                                    unsigned channel) {
    uint32_t before = objects->map.count;
    uint32_t index = st_map64_number(&objects->map, address << 8 | channel);
    if (__builtin_expect(index == before, 0))
        enter(objects, index, address);
    return &objects->list[index];
}

static void forget(struct st_sync_object *object) {
    object->number = ST_NO_OBJECT;
    object->holder = object->count = 0;
}

static void forget_in_page(struct st_objects *objects, uint64_t page, uint64_t start,
                           uint64_t end) {
    uint32_t number = st_map64_find(&objects->pages, page);
    if (number == ST_MAP64_NONE)
        return;
    for (uint32_t i = objects->first[number]; i; i = objects->list[i - 1].next) {
        struct st_sync_object *object = &objects->list[i - 1];
        if (object->address >= start && object->address < end)
            forget(object);
    }
}

void st_objects_forget(struct st_objects *objects, uint64_t address, uint64_t length) {
    uint64_t end = address + length;
    if (!objects->map.count || length == 0 || end < address)
        return;
    uint64_t first = address >> PAGE_BITS, last = (end - 1) >> PAGE_BITS;
    if (last - first <= objects->map.count) {
        for (uint64_t page = first; page <= last; page++)
            forget_in_page(objects, page, address, end);
        return;
    }
    for (uint32_t i = 0; i < objects->map.count; i++)
        if (objects->list[i].address >= address && objects->list[i].address < end)
            forget(&objects->list[i]);
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
                                                struct st_sync_object *lock) {
    char name[ST_LONGEST_NAME];
    st_translate_name(t, st_variables_place(&t->variables, lock->address), name, sizeof name);
    spell_critical(name, sizeof name);
    lock->number = st_translate_unique(&t->symbols.locks, &t->lock_repeats, name);
    lock->holder = lock->count = 0;
}

static void begin_section(struct st_translator *t, struct thread *thread,
                          const struct st_sync_object *lock, uint64_t pc) {
    char name[2 * ST_LONGEST_NAME], where[ST_LONGEST_NAME];
    struct st_code code;
    uint64_t user = st_translate_user_call(t, thread, pc);
    st_places_user_line(t->places, user, &code, where, sizeof where);
    snprintf(name, sizeof name, "section of %s at %s", st_name(&t->symbols.locks, lock->number),
             where);
    uint32_t block = st_names_add(&t->symbols.blocks, name, strlen(name));
    st_translate_begin_block(t, thread, (struct frame){.kind = SECTION, .block = block}, pc);
}

static bool has_sections(const struct st_translator *t) {
    return t->options.spec && st_spec_section_line(t->options.spec);
}

void st_translate_acquire(struct st_translator *t, struct thread *thread,
                          const struct st_stream_record *record) {
    struct st_sync_object *lock = st_object_at(&t->locks, st_stream_address(record), 0);
    bool again = lock->holder == thread->number + 1;
    if (lock->number == ST_NO_OBJECT || (lock->holder && !again)) {
        name_lock(t, lock); /* or it was released unseen: from now on it is another lock */
        again = false;
    }
    if (!again && has_sections(t) && !thread->lock_count)
        begin_section(t, thread, lock, record->argument);
    emit(t, thread, ST_ACQUIRE, lock->number, loc_at(t, thread, record->argument));
    lock->holder = thread->number + 1;
    lock->count++;
    if (again)
        return;
    st_reserve(&thread->locks, &thread->lock_capacity, thread->lock_count + 1);
    uint32_t held = st_sites_held(&t->sites, (struct st_held){lock->number, held_by(thread)});
    thread->locks[thread->lock_count++] =
        (struct lock_held){(uint32_t)(lock - t->locks.list), lock->number, held};
    change_context(thread);
}

static void drop_lock(struct st_translator *t, struct thread *thread, uint32_t object) {
    size_t kept = 0;
    for (size_t i = 0; i < thread->lock_count; i++) {
        struct lock_held lock = thread->locks[i];
        if (lock.object == object)
            continue;
        if (kept < i) {
            uint32_t rest = kept ? thread->locks[kept - 1].held : 0;
            lock.held = st_sites_held(&t->sites, (struct st_held){lock.number, rest});
        }
        thread->locks[kept++] = lock;
    }
    thread->lock_count = kept;
    change_context(thread);
}

void st_translate_release(struct st_translator *t, struct thread *thread,
                          const struct st_stream_record *record) {
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
    if (has_sections(t) && !thread->lock_count)
        st_translate_end_section(t, thread);
}

/* ---- events on channels ---- */

/* Objects have several channels, which mean something to the runtime only: "queue.ready", and
 * "queue.ready #2" for another channel of the same object. */
static __attribute__((noinline)) void
name_channel(struct st_translator *t, struct st_sync_object *channel, unsigned number) {
    static const char *const meanings[] = {
        [ST_CHANNEL_FORK - ST_CHANNEL_FIRST] = "omp parallel",
        [ST_CHANNEL_BARRIER - ST_CHANNEL_FIRST] = "omp barrier",
        [ST_CHANNEL_BARRIER_ODD - ST_CHANNEL_FIRST] = "omp barrier",
        [ST_CHANNEL_TASK - ST_CHANNEL_FIRST] = "omp task",
        [ST_CHANNEL_TASKWAIT - ST_CHANNEL_FIRST] = "omp taskwait",
        [ST_CHANNEL_TASKGROUP - ST_CHANNEL_FIRST] = "omp taskgroup",
        [ST_CHANNEL_ORDERED - ST_CHANNEL_FIRST] = "omp ordered",
        [ST_CHANNEL_DOACROSS - ST_CHANNEL_FIRST] = "omp ordered depend",
        [ST_CHANNEL_REDUCTION - ST_CHANNEL_FIRST] = "omp reduction",
        [ST_CHANNEL_DETACHED - ST_CHANNEL_FIRST] = "omp task detach",
        [ST_CHANNEL_SPAWN - ST_CHANNEL_FIRST] = "tbb task",
        [ST_CHANNEL_ARENA - ST_CHANNEL_FIRST] = "tbb arena"};
    char name[ST_LONGEST_NAME];
    if (number >= ST_CHANNEL_FIRST && number <= ST_CHANNEL_LAST_OF_RUNTIME)
        snprintf(name, sizeof name, "%s", meanings[number - ST_CHANNEL_FIRST]);
    else
        st_translate_name(t, st_variables_place(&t->variables, channel->address), name,
                          sizeof name);
    channel->number = st_translate_unique(&t->symbols.channels, &t->channel_repeats, name);
    st_symbols_note_channels(&t->symbols);
}

void st_translate_channel(struct st_translator *t, struct thread *thread,
                          const struct st_stream_record *record, enum st_op op) {
    struct st_sync_object *channel =
        st_object_at(&t->channels, st_stream_address(record), st_stream_aux(record));
    if (channel->number == ST_NO_OBJECT)
        name_channel(t, channel, st_stream_aux(record));
    emit(t, thread, op, channel->number, loc_at(t, thread, record->argument));
}
