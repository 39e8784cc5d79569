#include "watch/translate.h"

#include "base/memory.h"
#include "watch/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many records before its turn, an access asks for its memory. */
enum { AHEAD = 16 };

/* What an open function or block is to us. */
enum kind {
    NO_BLOCK,
    INFERRED, /* nobody named it: split where its thread waits */
    NAMED,    /* by the specification or an annotation */
    SECTION,  /* a critical section; named, too */
    OVER,     /* a critical section that ended while blocks in it are open: ends with them */
};

struct frame {
    enum kind kind;
    bool annotated; /* opened by ST_STREAM_BEGIN */
    uint32_t block; /* name, unless it is no block */
    uint64_t loc;   /* of its begin */
    uint32_t call;  /* number in the sites */
};

struct lock_held {
    uint32_t object; /* index in the locks */
    uint32_t number; /* as it was when it was acquired */
    uint32_t held;   /* it and those before it: number in the sites */
};

/* From an epoch on, what was called and held. */
struct moment {
    uint64_t at;
    uint32_t call, held;
};

/* So many of them are kept: stacks and locks of late accesses that are older are not known. */
enum { MOMENTS = 1024 };

/* A thread of the program. */
struct thread {
    uint32_t number;
    uint32_t slot;
    uint64_t first_epoch, at; /* the epoch behind the record at work */
    struct moment *moments;   /* MOMENTS of them, or NULL; the last at moment_count - 1, modulo */
    size_t moment_count;
    bool started;               /* the function that it began with was entered */
    uint64_t last_pc, last_loc; /* of the last event; 0 where not valid */
    struct frame *frames;
    size_t depth, frame_capacity;
    struct lock_held *locks;
    size_t lock_count, lock_capacity;
};

/* What is known of a function, by the address at which it calls us. */
struct function {
    bool known, hidden; /* hidden: of the implementation */
    enum kind kind;     /* as a block; INFERRED means: unless a thread starts with it */
    uint32_t block;
};

/* By name: how many more have got a name like it. */
struct repeats {
    uint32_t *counts;
    size_t capacity;
};

struct st_translator {
    struct st_translation options;
    struct st_symbols symbols;
    struct st_sites sites;
    struct st_places *places;
    struct st_variables variables;
    struct st_objects locks, channels;
    struct repeats lock_repeats, channel_repeats;
    struct st_pairs origins;   /* of allocations: return address and size */
    struct st_pairs functions; /* addresses, with 0 */
    struct function *function_facts;
    size_t function_capacity;
    struct st_pairs texts; /* numbers of texts, with 0 */
    uint32_t *text_blocks; /* by that number: the block with this name */
    size_t text_capacity;

    struct st_map64 serials;
    struct thread **threads;
    size_t thread_capacity;
    uint32_t last_serial;
    struct thread *last_thread; /* of that serial, or NULL */

    uint64_t *locs; /* by site, unless sites are kept; 0 where not asked for yet */
    size_t loc_capacity;
    uint32_t named_variables;

    struct st_stream_record *corrected; /* records with other addresses, see below */
    size_t corrected_capacity;
    bool module_came;

    struct st_slots slots;
    _Atomic uint64_t *dead_before; /* of the program; NULL: nobody wants to know */
    struct st_event *batch;
    uint64_t *batch_at;
    size_t batched;
    bool publish_due; /* as soon as all events of the record at work are out */
    bool *began;      /* by thread: it has had an event */
    size_t began_capacity;
    uint32_t touching; /* whose access is at work, where and when */
    uint64_t touching_loc, touching_at, visits;
    enum st_op touching_op[2]; /* what becomes of a read, a write */
    struct st_translator_facts facts;
};

static st_parted parted;

struct st_translator *st_translator_new(const struct st_translation *translation) {
    struct st_translator *t = st_alloc(1, sizeof *t);
    t->options = *translation;
    st_symbols_init(&t->symbols);
    t->places = st_places_new();
    st_variables_init(&t->variables);
    if (translation->dead_before) {
        t->variables.parted = parted;
        t->variables.parted_context = t;
    }
    if (t->options.forget)
        st_variables_reuse(&t->variables);
    st_objects_init(&t->locks);
    st_objects_init(&t->channels);
    st_map64_init(&t->serials);
    t->batch = st_alloc(ST_BATCH + ST_BATCH_ROOM, sizeof *t->batch);
    t->batch_at = st_alloc(ST_BATCH, sizeof *t->batch_at);
    return t;
}

static void free_thread(struct thread *thread) {
    if (!thread)
        return;
    free(thread->frames);
    free(thread->locks);
    free(thread->moments);
    free(thread);
}

void st_translator_free(struct st_translator *t) {
    if (!t)
        return;
    for (uint32_t i = 0; i < t->serials.count; i++)
        free_thread(t->threads[i]);
    free(t->threads);
    st_map64_free(&t->serials);
    st_symbols_free(&t->symbols);
    st_sites_free(&t->sites);
    st_places_free(t->places);
    free(t->corrected);
    st_variables_free(&t->variables);
    st_objects_free(&t->locks);
    st_objects_free(&t->channels);
    free(t->lock_repeats.counts);
    free(t->channel_repeats.counts);
    st_pairs_free(&t->origins);
    st_pairs_free(&t->functions);
    st_pairs_free(&t->texts);
    free(t->function_facts);
    free(t->text_blocks);
    free(t->locs);
    free(t->batch);
    free(t->batch_at);
    free(t->began);
    st_slots_free(&t->slots);
    free(t);
}

void st_translator_publish_to(struct st_translator *t, _Atomic uint64_t *dead_before) {
    t->dead_before = dead_before;
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

size_t st_translator_memory(const struct st_translator *t) {
    return sizeof *t + st_symbols_memory(&t->symbols) + st_sites_memory(&t->sites) +
           st_variables_memory(&t->variables);
}

/* ---- names ---- */

static void name_address(struct st_translator *t, struct st_variable place, char *buffer,
                         size_t size) {
    if (!place.origin) {
        st_places_data(t->places, place.address, buffer, size);
        return;
    }
    struct st_pair origin = t->origins.list[place.origin - 1];
    char where[ST_LONGEST_NAME / 2];
    st_places_location(t->places, origin.a, where, sizeof where);
    int length = snprintf(buffer, size, "heap block of %" PRIu64 " bytes from %s (%s)", origin.b,
                          where, st_places_function(t->places, origin.a).function);
    if (place.offset && length > 0 && (size_t)length < size)
        snprintf(buffer + length, size - (size_t)length, "+%" PRIu64, place.offset);
}

void st_translator_variable_name(struct st_translator *t, uint32_t variable, char *buffer,
                                 size_t size) {
    name_address(t, st_variable(&t->variables, variable), buffer, size);
}

static void name_new_variables(struct st_translator *t) {
    char name[ST_LONGEST_NAME];
    uint32_t count = st_variables_count(&t->variables);
    for (; t->named_variables < count; t->named_variables++) {
        st_translator_variable_name(t, t->named_variables, name, sizeof name);
        st_names_append(&t->symbols.variables, name, strlen(name));
    }
}

/* Adds a name that the table does not have, like this one: "lock", "lock #2", "lock #3". */
static uint32_t add_unique(struct st_names *names, struct repeats *repeats, const char *name) {
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
    if (t->dead_before && t->options.dead_before)
        st_slots_publish(&t->slots, t->options.dead_before, t->options.context, t->dead_before);
}

static void flush(struct st_translator *t) {
    if (t->options.names)
        name_new_variables(t);
    size_t count = t->batched;
    t->batched = 0;
    t->options.sink(t->options.context, t->batch, t->batch_at, count);
    if (t->options.forget) /* now that all events on them are out */
        st_variables_recycle(&t->variables, t->options.forget, t->options.context);
    t->publish_due = true;
}

void st_translator_flush(struct st_translator *t) {
    if (t->batched)
        flush(t);
    if (t->publish_due)
        publish(t);
}

static inline void put_event(struct st_translator *t, struct st_event event, uint64_t at) {
    t->batch[t->batched] = event;
    t->batch_at[t->batched] = at;
    if (__builtin_expect(++t->batched == ST_BATCH, 0))
        flush(t);
}

static inline void put(struct st_translator *t, const struct thread *thread, enum st_op op,
                       uint32_t target, uint64_t loc) {
    put_event(t,
              (struct st_event){
                  .thread = thread->number, .target = target, .loc = loc, .written = op, .op = op},
              thread->at);
}

/* ---- where ---- */

static uint32_t call_of(const struct thread *thread) {
    return thread->depth ? thread->frames[thread->depth - 1].call : 0;
}

static uint32_t held_by(const struct thread *thread) {
    return thread->lock_count ? thread->locks[thread->lock_count - 1].held : 0;
}

static st_context context_of(const struct st_translator *t, const struct thread *thread) {
    return st_context_of(call_of(thread), t->options.outline ? 0 : held_by(thread));
}

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

static uint64_t loc_of(struct st_translator *t, struct thread *thread, uint64_t pc) {
    if (!t->options.sites) {
        uint32_t site = st_sites_number(&t->sites, pc, 0);
        return site < t->loc_capacity && t->locs[site] ? t->locs[site] : find_loc(t, site, pc);
    }
    return ST_LOC_NAME | st_sites_number(&t->sites, pc, context_of(t, thread));
}

static inline uint64_t loc_at(struct st_translator *t, struct thread *thread, uint64_t pc) {
    if (pc != thread->last_pc) {
        thread->last_loc = loc_of(t, thread, pc);
        thread->last_pc = pc;
    }
    return thread->last_loc;
}

/* Stack or locks are others now. */
static void change_context(struct thread *thread) {
    thread->last_pc = 0;
    if (thread->moments)
        thread->moments[thread->moment_count++ % MOMENTS] =
            (struct moment){thread->at, call_of(thread), held_by(thread)};
}

/* What was called and held in an earlier epoch; nothing when that is not known any more. */
static struct moment moment_at(const struct thread *thread, uint64_t at) {
    size_t end = thread->moment_count, least = end > MOMENTS ? end - MOMENTS : 0;
    size_t low = least, high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (thread->moments[middle % MOMENTS].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low == least ? (struct moment){0} : thread->moments[(low - 1) % MOMENTS];
}

/* ---- threads ---- */

static uint32_t thread_number(struct st_translator *t, uint32_t serial) {
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
    uint32_t number = thread_number(t, serial);
    if (!t->threads[number]) {
        t->threads[number] = st_alloc(1, sizeof *t->threads[number]);
        t->threads[number]->number = number;
        t->threads[number]->started = serial == 0; /* main is known by its name */
        t->threads[number]->slot = ST_NO_SLOT;
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

/* ---- accesses ---- */

static void visit(void *context, uint32_t variable, bool write) {
    struct st_translator *t = context;
    t->visits++;
    put_event(t,
              (struct st_event){.thread = t->touching,
                                .target = variable,
                                .loc = t->touching_loc,
                                .written = write ? ST_WRITE : ST_READ,
                                .op = t->touching_op[write]},
              t->touching_at);
}

static void parted(void *context, uint32_t from, uint32_t to) {
    struct st_translator *t = context;
    put_event(
        t,
        (struct st_event){
            .thread = t->touching, .target = to, .loc = from, .written = ST_READ, .op = ST_PARTED},
        t->touching_at);
}

static __attribute__((noinline)) void on_range(struct st_translator *t, const struct thread *thread,
                                               uint64_t address, uint64_t length, bool write,
                                               uint64_t loc) {
    t->touching = thread->number;
    t->touching_loc = loc;
    t->touching_at = thread->at;
    t->touching_op[false] = ST_READ;
    t->touching_op[true] = ST_WRITE;
    uint64_t before = t->visits;
    st_variables_touch(&t->variables, address, length, write, visit, t);
    /* It is one access: what it learned from the last variable, it knows at the first. Traces have
     * the short ones so, in which nobody can see an order; the long ones take too much room. */
    if (t->visits > before + 1 && (t->options.dead_before || length <= 16))
        st_variables_touch(&t->variables, address, length, write, visit, t);
}

static inline void on_access(struct st_translator *t, struct thread *thread,
                             const struct st_stream_record *record, bool write) {
    uint64_t address = st_stream_address(record), loc = loc_at(t, thread, record->argument);
    unsigned size = st_stream_aux(record);
    uint32_t variable = st_variables_find(&t->variables, address, size);
    if (__builtin_expect(variable != ST_NO_VARIABLE, 1))
        put(t, thread, write ? ST_WRITE : ST_READ, variable, loc);
    else
        on_range(t, thread, address, size, write, loc);
}

/* The first event of a thread, so that a fork reaches what it does, and a join is reached from it,
 * also if nobody else ever touches what it touched. */
static void start(struct st_translator *t, uint32_t number, uint64_t at) {
    st_reserve(&t->began, &t->began_capacity, (size_t)number + 1);
    if (t->began[number])
        return;
    t->began[number] = true;
    put_event(t,
              (struct st_event){
                  .thread = number, .target = ST_NO_NAME, .written = ST_READ, .op = ST_UNMARKED},
              at);
}

/* Where and how a late access happened, as far as that is known. */
static uint64_t late_loc(struct st_translator *t, uint32_t number, uint64_t at, uint32_t low_pc) {
    const struct thread *thread = t->threads[number];
    struct moment moment = {0};
    if (thread && thread->moments)
        moment = moment_at(thread, at);
    uint64_t pc = low_pc ? st_places_complete(t->places, low_pc) : 0;
    if (!pc && moment.call)
        pc = st_call(&t->sites, moment.call).function;
    st_context context = st_context_of(moment.call, moment.held);
    return ST_LOC_NAME | st_sites_number(&t->sites, pc, context);
}

static void on_late(struct st_translator *t, const struct st_stream_record *record, bool write) {
    uint64_t at = record->argument >> 16, granule = st_stream_address(record);
    uint32_t number = st_slots_thread(&t->slots, record->argument & 0xffff, at);
    if (number == ST_NO_SLOT)
        return; /* it matters no longer */
    start(t, number, at);
    t->touching = number;
    t->touching_loc = late_loc(t, number, at, (uint32_t)record[1].argument);
    t->touching_at = at;
    t->touching_op[false] = ST_LATE_READ;
    t->touching_op[true] = ST_LATE_WRITE;
    for (unsigned bytes = st_stream_aux(record), from = 0; bytes >> from;) {
        unsigned length = 0;
        while (bytes >> (from + length) & 1)
            length++;
        if (length)
            st_variables_touch(&t->variables, granule + from, length, write, visit, t);
        from += length + 1;
    }
}

/* ---- blocks ---- */

static bool is_hidden(const char *name) {
    return strncmp(name, "std::", 5) == 0 || strncmp(name, "__", 2) == 0;
}

static enum kind kind_of(const struct st_spec *spec, const struct st_code *code, bool hidden) {
    bool by_default = !hidden && strcmp(code->function, "main") != 0;
    if (!spec)
        return by_default ? INFERRED : NO_BLOCK;
    size_t function_rank = st_spec_rank(spec, ST_SPEC_FUNCTION, code->function);
    size_t file_rank = st_spec_rank(spec, ST_SPEC_FILE, code->file);
    if (!st_spec_calls_atomic(spec, function_rank, file_rank))
        return NO_BLOCK;
    if (function_rank || file_rank)
        return NAMED;
    return by_default ? INFERRED : NO_BLOCK;
}

static __attribute__((noinline)) void learn_function(struct st_translator *t,
                                                     struct function *function, uint64_t pc) {
    struct st_code code = st_places_function(t->places, pc);
    function->known = true;
    function->hidden = is_hidden(code.function);
    function->kind = kind_of(t->options.spec, &code, function->hidden);
    function->block = st_names_add(&t->symbols.blocks, code.function, strlen(code.function));
}

static const struct function *function_at(struct st_translator *t, uint64_t pc) {
    uint32_t number = st_pairs_number(&t->functions, pc, 0);
    st_reserve(&t->function_facts, &t->function_capacity, (size_t)number + 1);
    struct function *function = &t->function_facts[number];
    if (!function->known)
        learn_function(t, function, pc);
    return function;
}

static struct frame *push(struct thread *thread, struct frame frame) {
    if (!frame.call)
        frame.call = call_of(thread);
    st_reserve(&thread->frames, &thread->frame_capacity, thread->depth + 1);
    thread->frames[thread->depth++] = frame;
    change_context(thread);
    return &thread->frames[thread->depth - 1];
}

/* Its begin belongs to what is around it; what follows is in it. */
static void begin_block(struct st_translator *t, struct thread *thread, struct frame frame,
                        uint64_t pc) {
    struct frame *pushed = push(thread, frame);
    pushed->loc = loc_at(t, thread, pc);
    put(t, thread, ST_BEGIN, pushed->block, pushed->loc);
    if (t->options.outline) {
        pushed->call = 0;
        change_context(thread);
    }
}

static void end_block(struct st_translator *t, struct thread *thread, const struct frame *frame) {
    if (frame->kind != NO_BLOCK)
        put(t, thread, ST_END, frame->block, frame->loc);
}

/* A critical section that goes on behind the function or block that it began in ends with it. */
static void pop_one(struct st_translator *t, struct thread *thread) {
    end_block(t, thread, &thread->frames[--thread->depth]);
    change_context(thread);
}

static bool is_section(const struct frame *frame) {
    return frame->kind == SECTION || frame->kind == OVER;
}

/* Ends the innermost frame that is a function (or annotated), and what is open in it. */
static void pop(struct st_translator *t, struct thread *thread, bool annotated) {
    size_t depth = thread->depth;
    while (depth && (is_section(&thread->frames[depth - 1]) ||
                     thread->frames[depth - 1].annotated != annotated))
        depth--;
    if (!depth)
        return; /* it was opened before anybody listened */
    while (thread->depth >= depth)
        pop_one(t, thread);
    while (thread->depth && thread->frames[thread->depth - 1].kind == OVER)
        pop_one(t, thread);
}

static void on_enter(struct st_translator *t, struct thread *thread,
                     const struct st_stream_record *record) {
    const struct function *function = function_at(t, record->argument);
    enum kind kind = function->kind;
    if (thread->moments)
        start(t, thread->number, thread->at);
    if (!thread->started && !function->hidden) {
        thread->started = true;
        if (kind == INFERRED)
            kind = NO_BLOCK;
    }
    struct st_call call = {record->argument, st_stream_address(record), call_of(thread)};
    struct frame frame = {
        .kind = kind, .block = function->block, .call = st_sites_call(&t->sites, call)};
    if (kind == NO_BLOCK)
        push(thread, frame);
    else
        begin_block(t, thread, frame, record->argument);
}

static void on_begin(struct st_translator *t, struct thread *thread,
                     const struct st_stream_record *record) {
    uint32_t text = st_pairs_number(&t->texts, record->argument, 0);
    st_reserve(&t->text_blocks, &t->text_capacity, (size_t)text + 1);
    struct frame frame = {.kind = NAMED, .annotated = true, .block = t->text_blocks[text] - 1};
    begin_block(t, thread, frame, st_stream_address(record));
}

/* Of the blocks that nobody named, those can be split in which no named one is open. */
static void on_split(struct st_translator *t, struct thread *thread) {
    size_t first = thread->depth;
    while (first && thread->frames[first - 1].kind <= INFERRED)
        first--;
    for (size_t i = thread->depth; i-- > first;)
        end_block(t, thread, &thread->frames[i]);
    for (size_t i = first; i < thread->depth; i++)
        if (thread->frames[i].kind == INFERRED)
            put(t, thread, ST_BEGIN, thread->frames[i].block, thread->frames[i].loc);
}

/* ---- locks ---- */

static __attribute__((noinline)) void name_lock(struct st_translator *t,
                                                struct st_sync_object *lock) {
    char name[ST_LONGEST_NAME];
    name_address(t, st_variables_place(&t->variables, lock->address), name, sizeof name);
    lock->number = add_unique(&t->symbols.locks, &t->lock_repeats, name);
    lock->holder = lock->count = 0;
}

static void begin_section(struct st_translator *t, struct thread *thread,
                          const struct st_sync_object *lock, uint64_t pc) {
    char name[2 * ST_LONGEST_NAME], where[ST_LONGEST_NAME];
    st_places_location(t->places, pc, where, sizeof where);
    snprintf(name, sizeof name, "section of %s at %s", st_name(&t->symbols.locks, lock->number),
             where);
    uint32_t block = st_names_add(&t->symbols.blocks, name, strlen(name));
    begin_block(t, thread, (struct frame){.kind = SECTION, .block = block}, pc);
}

static void end_section(struct st_translator *t, struct thread *thread) {
    size_t i = thread->depth;
    while (i && thread->frames[i - 1].kind != SECTION)
        i--;
    if (!i)
        return; /* it ended with the function that it began in */
    thread->frames[i - 1].kind = OVER;
    for (size_t above = i; above < thread->depth; above++)
        if (thread->frames[above].kind != NO_BLOCK)
            return; /* ends with that one */
    end_block(t, thread, &thread->frames[i - 1]);
    memmove(&thread->frames[i - 1], &thread->frames[i],
            (thread->depth - i) * sizeof *thread->frames);
    thread->depth--;
    for (; i <= thread->depth; i++) { /* functions, and outlines of them begin anew */
        struct st_call call = st_call(&t->sites, thread->frames[i - 1].call);
        call.caller = i > 1 ? thread->frames[i - 2].call : 0;
        thread->frames[i - 1].call = st_sites_call(&t->sites, call);
    }
    change_context(thread);
}

static bool has_sections(const struct st_translator *t) {
    return t->options.spec && st_spec_section_line(t->options.spec);
}

static void on_acquire(struct st_translator *t, struct thread *thread,
                       const struct st_stream_record *record) {
    struct st_sync_object *lock = st_objects_at(&t->locks, st_stream_address(record), 0);
    bool again = lock->holder == thread->number + 1;
    if (lock->number == ST_NO_OBJECT || (lock->holder && !again)) {
        name_lock(t, lock); /* or somebody released it unseen: from now on it is another lock */
        again = false;
    }
    if (!again && has_sections(t) && !thread->lock_count)
        begin_section(t, thread, lock, record->argument);
    put(t, thread, ST_ACQUIRE, lock->number, loc_at(t, thread, record->argument));
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

static void on_release(struct st_translator *t, struct thread *thread,
                       const struct st_stream_record *record) {
    struct st_sync_object *lock = st_objects_at(&t->locks, st_stream_address(record), 0);
    uint32_t object = (uint32_t)(lock - t->locks.list);
    if (lock->number == ST_NO_OBJECT || lock->holder != thread->number + 1) {
        t->facts.odd_releases++;
        lock->number = ST_NO_OBJECT;
        drop_lock(t, thread, object);
        return;
    }
    put(t, thread, ST_RELEASE, lock->number, loc_at(t, thread, record->argument));
    if (--lock->count)
        return;
    lock->holder = 0;
    drop_lock(t, thread, object);
    if (has_sections(t) && !thread->lock_count)
        end_section(t, thread);
}

/* ---- channels ---- */

/* Objects have several channels, which mean something to the runtime only: "queue.ready", and
 * "queue.ready #2" for another channel of the same. */
static __attribute__((noinline)) void name_channel(struct st_translator *t,
                                                   struct st_sync_object *channel) {
    char name[ST_LONGEST_NAME];
    name_address(t, st_variables_place(&t->variables, channel->address), name, sizeof name);
    channel->number = add_unique(&t->symbols.channels, &t->channel_repeats, name);
}

static void on_channel(struct st_translator *t, struct thread *thread,
                       const struct st_stream_record *record, enum st_op op) {
    struct st_sync_object *channel =
        st_objects_at(&t->channels, st_stream_address(record), st_stream_aux(record));
    if (channel->number == ST_NO_OBJECT)
        name_channel(t, channel);
    put(t, thread, op, channel->number, loc_at(t, thread, record->argument));
}

/* ---- the rest ---- */

static void on_thread_event(struct st_translator *t, struct thread *thread,
                            const struct st_stream_record *record, enum st_op op) {
    uint32_t other = thread_number(t, (uint32_t)st_stream_address(record));
    put(t, thread, op, other, loc_at(t, thread, record->argument));
}

static void on_thread_end(struct st_translator *t, struct thread *thread) {
    while (thread->depth)
        pop_one(t, thread);
    if (thread->slot != ST_NO_SLOT)
        st_slots_end(&t->slots, thread->slot, thread->number, thread->at);
    t->threads[thread->number] = NULL;
    t->last_thread = NULL;
    free_thread(thread);
}

static void on_slot(struct st_translator *t, struct thread *thread,
                    const struct st_stream_record *record) {
    uint64_t slot = st_stream_address(record);
    if (!t->options.dead_before || thread->slot != ST_NO_SLOT || slot >= ST_STREAM_SLOTS)
        return;
    thread->slot = (uint32_t)slot;
    thread->first_epoch = record->argument;
    thread->at += thread->first_epoch;
    thread->moments = st_alloc(MOMENTS, sizeof *thread->moments);
    st_slots_take(&t->slots, thread->slot, thread->number, thread->first_epoch);
}

static void on_allocate(struct st_translator *t, const struct st_stream_record *record) {
    uint64_t length = record[1].argument;
    st_variables_allocated(&t->variables, st_stream_address(record), length,
                           st_pairs_number(&t->origins, record->argument, length));
}

static void on_free(struct st_translator *t, const struct st_stream_record *record) {
    st_variables_forget(&t->variables, st_stream_address(record), record[1].argument);
    st_objects_forget(&t->locks, st_stream_address(record), record[1].argument);
    st_objects_forget(&t->channels, st_stream_address(record), record[1].argument);
}

/* The text behind its record, in memory to be freed; NULL if it is none. */
static char *copy_text(const struct st_stream_record *record) {
    uint64_t length = st_stream_address(record);
    if (st_stream_op(record) != ST_STREAM_TEXT || length > ST_LONGEST_TEXT)
        return NULL;
    char *text = st_alloc(length + 1, 1);
    memcpy(text, record + 1, length);
    return text;
}

static void on_text(struct st_translator *t, const struct st_stream_record *record) {
    char *text = copy_text(record);
    if (!text) {
        t->facts.garbage++;
        return;
    }
    uint32_t number = st_pairs_number(&t->texts, record->argument, 0);
    st_reserve(&t->text_blocks, &t->text_capacity, (size_t)number + 1);
    if (*text) /* a block without a name has none */
        t->text_blocks[number] = 1 + st_names_add(&t->symbols.blocks, text, strlen(text));
    free(text);
}

static void on_module(struct st_translator *t, const struct st_stream_record *record) {
    t->module_came = true;
    char *path = copy_text(record + 2);
    if (path)
        st_places_add_module(t->places, path, st_stream_address(record), record[1].argument,
                             record->argument);
    else
        t->facts.garbage++;
    free(path);
}

static void on_trouble(struct st_translator *t, const struct st_stream_record *record) {
    char *text = copy_text(record + 1);
    t->facts.missing += record->argument;
    if (text && !*t->facts.trouble)
        snprintf(t->facts.trouble, sizeof t->facts.trouble, "%s", text);
    free(text);
}

/* What is rare. */
static __attribute__((noinline)) void on_other(struct st_translator *t, struct thread *thread,
                                               const struct st_stream_record *record) {
    switch (st_stream_op(record)) {
    case ST_STREAM_NONE:
        break;
    case ST_STREAM_BEGIN:
        on_begin(t, thread, record);
        break;
    case ST_STREAM_END:
        pop(t, thread, true);
        break;
    case ST_STREAM_SPLIT:
        on_split(t, thread);
        break;
    case ST_STREAM_SEND:
        on_channel(t, thread, record, ST_SEND);
        break;
    case ST_STREAM_RECEIVE:
        on_channel(t, thread, record, ST_RECEIVE);
        break;
    case ST_STREAM_FORK:
        on_thread_event(t, thread, record, ST_FORK);
        break;
    case ST_STREAM_JOIN:
        on_thread_event(t, thread, record, ST_JOIN);
        break;
    case ST_STREAM_SLOT:
        on_slot(t, thread, record);
        break;
    case ST_STREAM_ALLOCATE:
        on_allocate(t, record);
        break;
    case ST_STREAM_FREE:
        on_free(t, record);
        break;
    case ST_STREAM_TEXT:
        on_text(t, record);
        break;
    case ST_STREAM_MODULE:
        on_module(t, record);
        break;
    case ST_STREAM_TROUBLE:
        on_trouble(t, record);
        break;
    default:
        t->facts.garbage++;
    }
}

/* ---- addresses of modules that are where others were ---- */

static void correct(const struct st_places *places, struct st_stream_record *record, bool address,
                    bool argument) {
    if (address)
        record->what = (record->what & 0xffff) | st_places_now(places, st_stream_address(record))
                                                     << 16;
    if (argument)
        record->argument = st_places_now(places, record->argument);
}

/* A copy of the records, as far as they are translated next. */
static const struct st_stream_record *
corrected(struct st_translator *t, const struct st_stream_record *records, size_t count) {
    st_reserve(&t->corrected, &t->corrected_capacity, count);
    for (size_t i = 0, length; i < count; i += length) {
        enum st_stream_op op = st_stream_op(&records[i]);
        length = st_item_length(&records[i], count - i);
        memcpy(&t->corrected[i], &records[i], (length ? length : count - i) * sizeof *records);
        if (!length || op == ST_STREAM_NUMBER || op == ST_STREAM_OBSERVE || op == ST_STREAM_MODULE)
            break;
        bool pc_only = op == ST_STREAM_FORK || op == ST_STREAM_JOIN;
        bool no_pc =
            op == ST_STREAM_LATE_READ || op == ST_STREAM_LATE_WRITE || op == ST_STREAM_BEGIN;
        if (op != ST_STREAM_SLOT && op != ST_STREAM_TEXT && op != ST_STREAM_TROUBLE)
            correct(t->places, &t->corrected[i], !pc_only, !no_pc);
    }
    return t->corrected;
}

/* Ends early where a module was told. */
static size_t translate(struct st_translator *t, struct thread *thread, uint64_t position,
                        const struct st_stream_record *records, size_t count) {
    size_t i = 0, length;
    while (i < count) {
        const struct st_stream_record *record = &records[i];
        if (__builtin_expect(t->publish_due, 0))
            publish(t);
        thread->at = thread->first_epoch + position + i + 1;
        enum st_stream_op op = st_stream_op(record);
        switch (op) {
        case ST_STREAM_NUMBER:
        case ST_STREAM_OBSERVE:
            return i;
        case ST_STREAM_READ:
        case ST_STREAM_WRITE:
        case ST_STREAM_ATOMIC_READ:
        case ST_STREAM_ATOMIC_WRITE:
        case ST_STREAM_ATOMIC_UPDATE: {
            bool write = op != ST_STREAM_READ && op != ST_STREAM_ATOMIC_READ;
            if (op == ST_STREAM_ATOMIC_UPDATE)
                on_access(t, thread, record, false);
            if (i + AHEAD < count)
                st_variables_prefetch(&t->variables, st_stream_address(record + AHEAD));
            if (__builtin_expect(st_stream_aux(record) != 0, 1)) {
                on_access(t, thread, record, write);
                i++;
                break;
            }
            if (i + 1 == count)
                return i;
            thread->at++;
            on_range(t, thread, st_stream_address(record), record[1].argument, write,
                     loc_at(t, thread, record->argument));
            i += 2;
            break;
        }
        case ST_STREAM_LATE_READ:
        case ST_STREAM_LATE_WRITE:
            if (i + 1 == count)
                return i;
            on_late(t, record, op == ST_STREAM_LATE_WRITE);
            i += 2;
            break;
        case ST_STREAM_ENTER:
            on_enter(t, thread, record);
            i++;
            break;
        case ST_STREAM_LEAVE:
            pop(t, thread, false);
            i++;
            break;
        case ST_STREAM_ACQUIRE:
            on_acquire(t, thread, record);
            i++;
            break;
        case ST_STREAM_RELEASE:
            on_release(t, thread, record);
            i++;
            break;
        case ST_STREAM_THREAD_END:
            on_thread_end(t, thread);
            return i + 1;
        default:
            length = st_item_length(record, count - i);
            if (!length)
                return i;
            on_other(t, thread, record);
            i += length;
            if (op == ST_STREAM_MODULE)
                return i;
        }
    }
    return i;
}

size_t st_translate(void *context, uint32_t serial, uint64_t position,
                    const struct st_stream_record *records, size_t count) {
    struct st_translator *t = context;
    size_t taken = 0;
    do {
        const struct st_stream_record *rest = records + taken;
        if (__builtin_expect(st_places_moves(t->places)->count, 0))
            rest = corrected(t, rest, count - taken);
        t->module_came = false;
        taken += translate(t, thread_of(t, serial), position + taken, rest, count - taken);
    } while (t->module_came);
    return taken;
}
