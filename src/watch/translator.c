#include "watch/translator_state.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many records before its turn, the memory of an access is prefetched. */
enum { AHEAD = 16 };

enum { LARGEST_SMALL_ACCESS = 16 };
/* Nobody accesses more at once: it is no length. */
#define LONGEST_ACCESS (UINT64_C(1) << 40)

struct st_translator *st_translator_new(const struct st_translation *translation) {
    struct st_translator *t = st_alloc(1, sizeof *t);
    t->options = *translation;
    st_symbols_init(&t->symbols);
    t->places = st_places_new(translation->allocators, translation->source_root);
    st_variables_init(&t->variables);
    st_java_objects_init(&t->java_objects);
    if (translation->dead_before) {
        t->variables.split = st_translate_split_variable;
        t->variables.split_context = t;
    }
    if (t->options.forget)
        st_variables_reuse(&t->variables);
    st_objects_init(&t->locks);
    st_objects_init(&t->channels);
    st_objects_init(&t->shared);
    st_objects_init(&t->words);
    st_map64_init(&t->calls);
    st_map64_init(&t->allocating);
    st_map64_init(&t->functions);
    st_map64_init(&t->call_sites);
    st_map64_init(&t->spins);
    st_map64_init(&t->texts);
    st_map64_init(&t->serials);
    t->batch = st_alloc(ST_BATCH + ST_BATCH_ROOM, sizeof *t->batch);
    t->batch_at = st_alloc(ST_BATCH, sizeof *t->batch_at);
    if (translation->values)
        t->batch_values = st_alloc(ST_BATCH, sizeof *t->batch_values);
    else if (translation->runs)
        t->batch_runs = st_alloc(ST_BATCH, sizeof *t->batch_runs);
    return t;
}

static void free_thread(struct thread *thread) {
    if (!thread)
        return;
    free(thread->frames);
    free(thread->locks);
    free(thread->then);
    st_past_free(&thread->past);
    free(thread);
}

void st_translator_free(struct st_translator *t) {
    if (!t)
        return;
    for (uint32_t i = 0; i < t->serials.count; i++)
        free_thread(t->threads[i]);
    free(t->threads);
    free(t->fresh);
    for (size_t i = 0; i < GONE_THREADS; i++)
        st_past_free(&t->gone[i].past);
    st_map64_free(&t->serials);
    st_symbols_free(&t->symbols);
    st_sites_free(&t->sites);
    st_places_free(t->places);
    free(t->moved);
    st_variables_free(&t->variables);
    st_java_objects_free(&t->java_objects);
    st_objects_free(&t->locks);
    st_objects_free(&t->channels);
    st_objects_free(&t->shared);
    free(t->shared_facts);
    free(t->shared_repeats.counts);
    st_objects_free(&t->words);
    free(t->word_facts);
    free(t->lock_repeats.counts);
    free(t->channel_repeats.counts);
    st_pairs_free(&t->origins);
    st_map64_free(&t->calls);
    free(t->owners);
    free(t->origin_facts);
    st_known_names_free(&t->known_names);
    st_bits_free(&t->used_by_several);
    free(t->first_accesses);
    st_map64_free(&t->allocating);
    free(t->allocators);
    st_map64_free(&t->functions);
    st_map64_free(&t->call_sites);
    free(t->call_site_facts);
    st_map64_free(&t->spins);
    free(t->spin_facts);
    st_map64_free(&t->texts);
    for (size_t i = 0; i < t->function_capacity; i++)
        st_start_free(&t->function_facts[i]);
    free(t->function_facts);
    free(t->counted);
    free(t->text_blocks);
    free(t->locs);
    free(t->batch);
    free(t->batch_at);
    free(t->batch_values);
    free(t->batch_runs);
    st_bits_free(&t->doubtful);
    free(t->began);
    st_slots_free(&t->slots);
    free(t);
}

void st_translator_publish_to(struct st_translator *t, struct st_stream_head *head) {
    t->head = head;
    t->dead_before = st_stream_dead_before(head);
    t->counters = st_stream_counters(head);
}

struct st_symbols *st_translator_symbols(struct st_translator *t) {
    return &t->symbols;
}

struct st_sites *st_translator_sites(struct st_translator *t) {
    return &t->sites;
}

struct st_places *st_translator_places(struct st_translator *t) {
    return t->places;
}

uint32_t st_translator_variable_count(const struct st_translator *t) {
    return st_variables_count(&t->variables);
}

const struct st_translator_facts *st_translator_facts(const struct st_translator *t) {
    return &t->facts;
}

size_t st_translator_function_count(const struct st_translator *t) {
    return t->functions.count;
}

static bool is_java_main(const struct function *function, const char *name) {
    const char *dot = function->java ? strrchr(name, '.') : NULL;
    return dot && strcmp(dot, ".main") == 0;
}

struct st_seen_function st_translator_function(const struct st_translator *t, size_t i) {
    const struct function *function = &t->function_facts[i];
    const char *name = st_name(&t->symbols.blocks, function->block);
    return (struct st_seen_function){.name = name,
                                     .hidden = function->hidden,
                                     .outermost = function->started || strcmp(name, "main") == 0 ||
                                                  is_java_main(function, name),
                                     .was_block = function->was_block};
}

/* ---- names ---- */

static void name_new_variables(struct st_translator *t) {
    char name[ST_LONGEST_NAME];
    uint32_t count = st_variables_count(&t->variables);
    for (; t->named_variables < count; t->named_variables++) {
        st_translator_variable_name(t, t->named_variables, name, sizeof name);
        st_names_append(&t->symbols.variables, name, strlen(name));
    }
}

uint32_t st_translate_unique(struct st_names *names, struct repeats *repeats, const char *name) {
    char changed[ST_LONGEST_NAME + 16];
    uint32_t before = names->count, number = st_names_add(names, name, strlen(name));
    if (number == before)
        return number;
    st_reserve(&repeats->counts, &repeats->capacity, (size_t)number + 1);
    do {
        before = names->count;
        snprintf(changed, sizeof changed, "%s #%" PRIu32, name, 2 + repeats->counts[number]++);
    } while (st_names_add(names, changed, strlen(changed)) != before);
    return before;
}

/* ---- events ---- */

static void publish(struct st_translator *t) {
    t->publish_due = false;
    if (t->dead_before && t->options.dead_before && !t->options.repeatable)
        st_slots_publish(&t->slots, t->options.dead_before, t->options.context, t->dead_before);
}

static void forget_variable(void *context, uint32_t variable) {
    struct st_translator *t = context;
    st_translate_forget_doubt(t, variable);
    t->options.forget(t->options.context, variable);
}

const struct st_access_value *st_translator_values(const struct st_translator *t) {
    return t->batch_values;
}

const uint32_t *st_translator_runs(const struct st_translator *t) {
    return t->batch_runs;
}

static bool may_forget(const struct st_translator *t) {
    return t->options.forget && (!t->finishing || t->options.forgets_at_end) &&
           (!t->options.may_forget || t->options.may_forget(t->options.context));
}

void st_translate_flush(struct st_translator *t) {
    if (t->options.names)
        name_new_variables(t);
    size_t count = t->batched;
    t->batched = 0;
    t->options.sink(t->options.context, t->batch, t->batch_at, count);
    if (may_forget(t)) /* now that the sink has all events on them */
        st_variables_recycle(&t->variables, forget_variable, t);
    t->publish_due = true;
}

static void flush_all(struct st_translator *t) {
    if (t->batched)
        st_translate_flush(t);
    if (t->publish_due)
        publish(t);
}

void st_translator_flush(struct st_translator *t) {
    if (!t->options.repeatable)
        flush_all(t);
}

void st_translator_finish(struct st_translator *t, bool orderly) {
    t->finishing = true;
    for (uint32_t i = 0; i < t->serials.count; i++) {
        if (!t->threads[i])
            continue;
        st_translate_end_of_words(t, t->threads[i]);
        if (orderly)
            st_translate_leave_all(t, t->threads[i]);
    }
    flush_all(t);
}

/* ---- where ---- */

/* A line as a location; asked for once. */
static __attribute__((noinline)) uint64_t find_loc(struct st_translator *t, uint32_t site,
                                                   uint64_t pc) {
    char text[ST_LONGEST_NAME];
    st_reserve(&t->locs, &t->loc_capacity, (size_t)site + 1);
    if (!t->locs[site]) {
        st_places_location(t->places, pc, text, sizeof text);
        t->locs[site] = st_location_add(&t->symbols, text, strlen(text));
    }
    return t->locs[site];
}

uint64_t st_translate_loc(struct st_translator *t, const struct thread *thread, uint64_t pc) {
    if (!t->options.sites) {
        uint32_t site = st_sites_number(&t->sites, pc, 0);
        return site < t->loc_capacity && t->locs[site] ? t->locs[site] : find_loc(t, site, pc);
    }
    uint32_t held = thread->locks_unknown ? ST_HELD_UNKNOWN : held_by(thread);
    return location_at(t, pc, call_of(thread), held);
}

/* ---- threads ---- */

uint32_t st_translate_thread_number(struct st_translator *t, uint32_t serial) {
    uint32_t number = st_map64_number(&t->serials, serial);
    st_reserve(&t->threads, &t->thread_capacity, (size_t)number + 1);
    if (number == t->symbols.threads.count) {
        char name[24] = "main";
        if (serial)
            snprintf(name, sizeof name, "T%" PRIu32, serial);
        st_names_add(&t->symbols.threads, name, strlen(name));
    }
    return number;
}

static __attribute__((noinline)) struct thread *find_thread(struct st_translator *t,
                                                            uint32_t serial) {
    uint32_t number = st_translate_thread_number(t, serial);
    if (!t->threads[number]) {
        t->threads[number] = st_alloc(1, sizeof *t->threads[number]);
        t->threads[number]->number = number;
        t->threads[number]->started = serial == 0; /* main is known by its name */
        t->threads[number]->slot = ST_SLOT_NONE;
    }
    t->last_serial = serial;
    t->last_thread = t->threads[number];
    return t->last_thread;
}

static inline struct thread *thread_of(struct st_translator *t, uint32_t serial) {
    if (__builtin_expect(t->last_thread && t->last_serial == serial, 1))
        return t->last_thread;
    return find_thread(t, serial);
}

static void on_thread_end(struct st_translator *t, struct thread *thread) {
    st_translate_leave_fresh(t, thread);
    st_translate_end_of_words(t, thread);
    st_translate_leave_all(t, thread);
    if (thread->slot != ST_SLOT_NONE)
        st_slots_end(&t->slots, thread->slot, thread->number, thread->at);
    t->threads[thread->number] = NULL;
    t->last_thread = NULL;
    struct gone_thread *gone = &t->gone[t->gone_count++ % GONE_THREADS];
    st_past_free(&gone->past);
    *gone = (struct gone_thread){thread->number, thread->past};
    thread->past = (struct st_past){0};
    free_thread(thread);
}

/* ---- addresses of modules that are where others were ---- */

static inline bool is_deferred(enum st_stream_op op) {
    return op == ST_STREAM_DEFERRED_READ || op == ST_STREAM_DEFERRED_WRITE ||
           op == ST_STREAM_KEPT_READ || op == ST_STREAM_KEPT_WRITE;
}

static void move_addresses(const struct st_places *places, struct st_stream_record *record,
                           bool address, bool argument) {
    if (address)
        record->what = (record->what & 0xffff) | st_places_now(places, st_stream_address(record))
                                                     << 16;
    if (argument)
        record->argument = st_places_now(places, record->argument);
}

/* The functions that are said behind where locks were taken. */
static void move_callers(const struct st_places *places, struct st_stream_record *records,
                         size_t length) {
    for (size_t i = 2; i < length; i++)
        if (st_stream_op(&records[i]) == ST_STREAM_CALLER)
            move_addresses(places, &records[i], true, true);
}

/* A copy of the records, as far as they are translated next. */
static const struct st_stream_record *
move_records(struct st_translator *t, const struct st_stream_record *records, size_t count) {
    st_reserve(&t->moved, &t->moved_capacity, count);
    for (size_t i = 0, length; i < count; i += length) {
        enum st_stream_op op = st_stream_op(&records[i]);
        length = st_item_length(&records[i], count - i);
        memcpy(&t->moved[i], &records[i], (length ? length : count - i) * sizeof *records);
        if (!length || op == ST_STREAM_MODULE || !st_is_in_turn(&records[i]))
            break;
        bool pc_only = op == ST_STREAM_FORK || op == ST_STREAM_JOIN;
        bool no_pc = is_deferred(op) || op == ST_STREAM_BEGIN || op == ST_STREAM_AT;
        if (op != ST_STREAM_SLOT && op != ST_STREAM_TEXT)
            move_addresses(t->places, &t->moved[i], !pc_only, !no_pc);
        if (op == ST_STREAM_HOLDS || op == ST_STREAM_HELD)
            move_callers(t->places, &t->moved[i], length);
    }
    return t->moved;
}

/* ---- records ---- */

/* The address of an item is where no memory of a program can be. */
static inline bool is_beyond(const struct st_stream_record *record) {
    return st_stream_address(record) >= USER_ADDRESSES;
}

/* Leaves an item out. Returns its length, or 0 when that is still to come. */
static __attribute__((noinline)) size_t
skip_garbage(struct st_translator *t, const struct st_stream_record *record, size_t left) {
    size_t length = st_item_length(record, left);
    t->facts.garbage += length != 0;
    return length;
}

/* Is the access one of the library to its own list? Its atomics come first, so few programs ask. */
static __attribute__((noinline)) bool is_in_list(struct st_translator *t, uint64_t pc) {
    return st_library_calls_at(t, pc) & CALL_LISTS;
}

/* How many records the access takes; 0 when its length is still to come. */
static inline __attribute__((always_inline)) size_t
translate_access(struct st_translator *t, struct thread *thread,
                 const struct st_stream_record *record, enum st_stream_op op, size_t left) {
    bool write = op == ST_STREAM_WRITE;
    t->joining = false;
    if (left > AHEAD)
        st_variables_prefetch(&t->variables, st_stream_address(record + AHEAD));
    unsigned size = st_stream_aux(record) & ST_STREAM_ACCESS_BYTES;
    bool valued = st_stream_aux(record) & ST_STREAM_WITH_VALUES;
    if (left == 1 && (!size || valued))
        return 0;
    if (__builtin_expect(size - 1 < LARGEST_SMALL_ACCESS &&
                             (!valued || st_stream_op(&record[1]) == ST_STREAM_VALUES),
                         1)) {
        step(t, thread, record->argument);
        thread->at += valued;
        if (__builtin_expect(t->has_lists, 0) && is_in_list(t, record->argument))
            return 1 + valued;
        access_variable(t, thread, st_stream_address(record), record, write, false);
        return 1 + valued;
    }
    if (size || !is_range(record, LONGEST_ACCESS))
        return skip_garbage(t, record, left);
    step(t, thread, record->argument);
    thread->at++;
    t->access.settled = st_stream_aux(record) & ST_STREAM_SETTLED;
    st_translate_range(t, thread, st_stream_address(record), record[1].argument, write, false,
                       loc_at(t, thread, record->argument));
    return 2;
}

static inline bool is_deferred_write(enum st_stream_op op) {
    return op == ST_STREAM_DEFERRED_WRITE || op == ST_STREAM_KEPT_WRITE;
}

/* The record leaves open whether functions that the thread has boarded are still open. */
static inline bool may_be_boarded(enum st_stream_op op) {
    return op == ST_STREAM_ENTER || op == ST_STREAM_AT || op == ST_STREAM_KEPT_READ ||
           op == ST_STREAM_KEPT_WRITE || op == ST_STREAM_WITHIN || op == ST_STREAM_HOLDS ||
           op == ST_STREAM_HELD || op == ST_STREAM_ALLOCATE_QUIETLY;
}

/* `emitted`: the same records, before addresses in them were moved.
 * Stops early at an item that is not complete, behind a module, and where the thread ends. */
static size_t translate(struct st_translator *t, struct thread *thread, uint64_t position,
                        const struct st_stream_record *records,
                        const struct st_stream_record *emitted, size_t count) {
    size_t i = 0, length;
    for (; i < count; i += length) {
        const struct st_stream_record *record = &records[i];
        if (__builtin_expect(t->publish_due, 0))
            publish(t);
        uint64_t before = thread->at;
        thread->at = thread->first_epoch + position + i + 1;
        enum st_stream_op op = st_stream_op(record);
        if (!st_is_in_turn(record))
            return i;
        if (__builtin_expect(thread->held_back.there, 0))
            st_translate_held_back(t, thread, record, count - i);
        if (__builtin_expect(thread->boarded, 0) && !may_be_boarded(op))
            st_translate_leave_boarded(t, thread);
        length = 1;
        if (__builtin_expect(is_beyond(&emitted[i]), 0)) {
            length = skip_garbage(t, record, count - i);
            if (!length)
                return i;
            continue;
        }
        switch (op) {
        case ST_STREAM_ATOMIC_READ:
        case ST_STREAM_ATOMIC_WRITE:
        case ST_STREAM_ATOMIC_UPDATE:
            if (st_stream_aux(record) & ST_STREAM_WITH_VALUES) {
                length = 2;
                if (i + 1 == count)
                    return i;
                thread->at++;
            }
            if (op != ST_STREAM_ATOMIC_READ)
                st_fresh_release(&thread->fresh);
            step(t, thread, record->argument);
            if ((st_stream_aux(record) & ST_STREAM_ACCESS_BYTES) - 1 < LARGEST_SMALL_ACCESS &&
                (length == 1 || st_stream_op(&record[1]) == ST_STREAM_VALUES))
                st_translate_atomic(t, thread, record);
            else
                t->facts.garbage++;
            break;
        case ST_STREAM_READ:
        case ST_STREAM_WRITE:
            length = translate_access(t, thread, record, op, count - i);
            if (!length)
                return i;
            break;
        case ST_STREAM_WITHIN:
            thread->at = before;
            thread->first_epoch--;
            st_translate_within(thread, record, false);
            break;
        case ST_STREAM_HOLDS:
        case ST_STREAM_HELD:
            length = st_item_length(record, count - i);
            if (!length)
                return i;
            thread->at = before;
            thread->first_epoch -= length;
            if (length > 1 && st_stream_op(&record[1]) != ST_STREAM_SINCE)
                t->facts.garbage++;
            else if (op == ST_STREAM_HOLDS)
                st_translate_holds(t, thread, record);
            else
                st_translate_held(thread, record, length);
            break;
        case ST_STREAM_CALLED:
            step(t, thread, record->argument);
            break;
        case ST_STREAM_KEPT_READ:
        case ST_STREAM_KEPT_WRITE:
        case ST_STREAM_DEFERRED_READ:
        case ST_STREAM_DEFERRED_WRITE:
            length = 2;
            if (i + 1 == count)
                return i;
            if (op == ST_STREAM_KEPT_READ || op == ST_STREAM_KEPT_WRITE) {
                thread->at = before;
                thread->first_epoch -= 2;
            }
            if (st_stream_op(&record[1]) == ST_STREAM_PC && st_stream_address(record) % 8 == 0)
                st_translate_deferred(t, thread, record, is_deferred_write(op));
            else
                t->facts.garbage++;
            break;
        case ST_STREAM_ENTER:
            st_translate_passed(t, thread, st_stream_aux(record) >> ST_STREAM_PASSED_AT);
            if (st_stream_aux(record) & ST_STREAM_LOCK_FREE)
                st_translate_holds_nothing(t, thread);
            if (!thread->boarded || !st_translate_confirm(t, thread))
                st_translate_enter(t, thread, record);
            break;
        case ST_STREAM_LEAVE:
            st_translate_passed(t, thread, record->argument);
            st_translate_leave(t, thread, false);
            break;
        case ST_STREAM_ACQUIRE:
            step(t, thread, record->argument);
            st_translate_acquire(t, thread, record);
            break;
        case ST_STREAM_RELEASE:
            st_fresh_release(&thread->fresh);
            step(t, thread, record->argument);
            st_translate_release(t, thread, record);
            break;
        case ST_STREAM_THREAD_END:
            on_thread_end(t, thread);
            return i + 1;
        default:
            length = st_item_length(record, count - i);
            if (op == ST_STREAM_ALLOCATE_QUIETLY) {
                thread->at = before;
                thread->first_epoch -= length;
            }
            if (length)
                st_translate_rare(t, thread, record);
            if (!length || op == ST_STREAM_MODULE)
                return i + length;
        }
    }
    return i;
}

size_t st_translate(void *context, uint32_t serial, uint64_t position,
                    const struct st_stream_record *records, size_t count) {
    struct st_translator *t = context;
    size_t taken = 0;
    do {
        const struct st_stream_record *emitted = records + taken, *rest = emitted;
        if (__builtin_expect(st_places_moves(t->places)->count, 0))
            rest = move_records(t, rest, count - taken);
        t->module_came = false;
        taken += translate(t, thread_of(t, serial), position + taken, rest, emitted, count - taken);
    } while (t->module_came);
    return taken;
}
