/* Accesses, eager and deferred: from addresses to variables. */
#include "watch/translator_state.h"

#include "base/memory.h"
#include "trace/format.h"

#include <string.h>

/* ---- values ---- */

/* A write that may still be on its way, or not be where the trace has it: what is in the variable
 * from now on is not certain. */
static void doubt(struct st_translator *t, uint32_t variable) {
    st_bits_add(&t->doubtful, variable);
}

void st_translate_forget_doubt(struct st_translator *t, uint32_t variable) {
    if (st_bits_has(&t->doubtful, variable))
        st_bit_clear(t->doubtful.words, variable);
}

/* Of the value before an atomic operation, the record has 48 bits; a load leaves what it found. */
static struct st_access_value value_of_atomic(const struct st_stream_record *record, bool write) {
    enum st_stream_atomic kind = st_stream_aux(&record[1]) & 0xf;
    unsigned size = st_stream_aux(record) & ST_STREAM_ACCESS_BYTES;
    struct st_access_value value = {.held = st_stream_address(&record[1]),
                                    .left = record[1].argument};
    if (size > 8)
        return value;
    if (kind == ST_ATOMIC_LOAD || kind == ST_ATOMIC_FAIL) {
        value.held = value.left;
        value.known = ST_HELD_KNOWN;
    } else {
        value.known = write ? ST_LEFT_KNOWN : 0;
        if (size < 8 && kind != ST_ATOMIC_STORE)
            value.known |= ST_HELD_KNOWN;
    }
    return value;
}

void st_translate_value(struct st_translator *t, uint32_t variable,
                        const struct st_stream_record *record, bool write, bool atomic) {
    unsigned flags = st_stream_aux(record);
    t->access.settled = flags & ST_STREAM_SETTLED;
    t->next_value = (struct st_access_value){0};
    if (variable == ST_VARIABLE_NONE)
        return;
    if ((write || atomic) && !t->access.settled)
        doubt(t, variable);
    if (st_bits_has(&t->doubtful, variable))
        return;
    if (atomic && record == t->valued)
        t->next_value = value_of_atomic(record, write);
    else if (!atomic && flags & ST_STREAM_WITH_VALUES)
        t->next_value =
            (struct st_access_value){.held = record[1].argument, .known = ST_HELD_KNOWN};
}

/* ---- accesses ---- */

/* If the last event of this access was the same on the variable before: one stands for both. */
static inline bool extend_run(struct st_translator *t, uint32_t variable, bool write) {
    if (!t->batch_runs || !t->access.last || t->access.last != t->batched || t->access.atomic)
        return false;
    const struct st_event *last = &t->batch[t->batched - 1];
    uint32_t *more = &t->batch_runs[t->batched - 1];
    if (last->target + *more + 1 != variable || last->written != (write ? ST_WRITE : ST_READ) ||
        *more == ST_LONGEST_RUN)
        return false;
    ++*more;
    return true;
}

static void visit(void *context, uint32_t variable, bool write) {
    struct st_translator *t = context;
    if (t->batch_values && write && !t->access.settled)
        doubt(t, variable);
    t->access.events++;
    if (variable >= t->noted_variables)
        st_translate_first_access(t, variable);
    if (extend_run(t, variable, write))
        return;
    emit_event(t,
               (struct st_event){.thread = t->access.thread,
                                 .target = variable,
                                 .loc = t->access.loc,
                                 .written = write ? ST_WRITE : ST_READ,
                                 .fresh = t->access.fresh,
                                 .atomic = t->access.atomic,
                                 .joined = t->access.atomic && t->joining,
                                 .op = write ? t->access.write : t->access.read},
               t->access.at);
    t->joining = true;
    t->access.last = t->batched;
}

void st_translate_split_variable(void *context, uint32_t from, uint32_t to) {
    struct st_translator *t = context;
    emit_event(t,
               (struct st_event){.thread = t->access.thread,
                                 .target = to,
                                 .loc = from,
                                 .written = ST_READ,
                                 .op = ST_SPLIT},
               t->access.at);
}

static void set_access(struct st_translator *t, uint32_t thread, uint64_t loc, uint64_t at) {
    t->access.thread = thread;
    t->access.loc = loc;
    t->access.at = at;
}

void st_translate_range(struct st_translator *t, const struct thread *thread, uint64_t address,
                        uint64_t length, bool write, bool atomic, uint64_t loc) {
    uint64_t before = t->access.events;
    set_access(t, thread->number, loc, thread->at);
    t->access.length = length;
    t->access.last = 0;
    t->access.read = ST_READ;
    t->access.write = ST_WRITE;
    t->access.atomic = atomic;
    t->access.fresh = !atomic && st_is_fresh(&thread->fresh, address, length);
    st_variables_touch(&t->variables, address, length, write, visit, t);
    /* It is one access: what its thread learned at the last variable, it knows at the first. So
     * there are two rounds of events. In traces only short accesses have them: long ones would take
     * too much room. */
    if (t->access.events > before + 1 && (t->options.dead_before || length <= 16))
        st_variables_touch(&t->variables, address, length, write, visit, t);
}

void st_translate_start(struct st_translator *t, uint32_t number, uint64_t at) {
    st_reserve(&t->began, &t->began_capacity, (size_t)number + 1);
    if (t->began[number])
        return;
    t->began[number] = true;
    emit_event(t,
               (struct st_event){
                   .thread = number, .target = ST_NO_NAME, .written = ST_READ, .op = ST_UNMARKED},
               at);
}

/* NULL if it is not known any more. */
const struct st_past *st_translate_past(const struct st_translator *t, uint32_t number) {
    if (t->threads[number])
        return &t->threads[number]->past;
    for (size_t i = 0; i < GONE_THREADS && i < t->gone_count; i++)
        if (t->gone[i].number == number)
            return &t->gone[i].past;
    return NULL;
}

/* Where in the code a deferred access happened; 0: not known. `function` is one that it was in. */
static uint64_t deferred_pc(const struct st_translator *t, uint32_t low_pc, uint64_t function) {
    return low_pc ? st_places_complete(t->places, low_pc, function) : 0;
}

uint32_t st_translate_outline(struct st_translator *t, uint64_t function) {
    return st_sites_call(&t->sites, (struct st_call){.function = function});
}

/* Where and how a deferred access happened, as far as that is known. */
static uint64_t deferred_loc(struct st_translator *t, struct thread *emitter, uint32_t number,
                             uint64_t at, uint32_t low_pc) {
    const struct st_past *past = st_translate_past(t, number);
    struct st_past_context then = {0};
    if (past)
        then = st_past_find(past, at);
    for (size_t i = 0; i < emitter->within_count; i++)
        then.call = emitter->within[i].block
                        ? st_translate_outline(t, emitter->within[i].function)
                        : st_sites_call(&t->sites, (struct st_call){emitter->within[i].function,
                                                                    emitter->within[i].called_from,
                                                                    then.call});
    uint64_t function = then.call ? st_call(&t->sites, then.call).function : 0;
    uint64_t pc = deferred_pc(t, low_pc, function);
    if (!pc)
        pc = function;
    bool forgotten =
        !past || (past->count > ST_PAST_CONTEXTS && !then.epoch) || emitter->then_unknown;
    uint32_t held = forgotten ? ST_HELD_UNKNOWN : st_translate_held_then(t, emitter, then.held);
    return location_at(t, pc, then.call, held);
}

void st_translate_within(struct thread *emitter, const struct st_stream_record *record,
                         bool block) {
    size_t most = sizeof emitter->within / sizeof *emitter->within;
    if (emitter->within_count == most)
        return;
    emitter->within[emitter->within_count].block = block;
    emitter->within[emitter->within_count].function = record->argument;
    emitter->within[emitter->within_count++].called_from = st_stream_address(record);
}

static void translate_deferred(struct st_translator *t, struct thread *emitter,
                               const struct st_stream_record *record, bool write) {
    uint64_t at = record->argument >> 16, granule = st_stream_address(record);
    uint32_t number = st_slots_thread(&t->slots, record->argument & 0xffff, at);
    if (number == ST_SLOT_NONE)
        return; /* it matters no longer */
    st_translate_start(t, number, at);
    if (t->threads[number] && t->threads[number]->held_back.there)
        st_translate_held_back(t, t->threads[number], NULL, 0);
    set_access(t, number, deferred_loc(t, emitter, number, at, (uint32_t)record[1].argument), at);
    t->access.read = ST_DEFERRED_READ;
    t->access.write = ST_DEFERRED_WRITE;
    t->access.atomic = t->access.fresh = false;
    for (unsigned bytes = st_stream_aux(record), from = 0; bytes >> from;) {
        unsigned length = 0;
        while (bytes >> (from + length) & 1)
            length++;
        t->access.length = length;
        if (length)
            st_variables_touch(&t->variables, granule + from, length, write, visit, t);
        from += length + 1;
    }
}

/* Where a function has looked; 0: not there. */
static uint64_t look_pc(const struct st_translator *t, uint32_t low_pc, uint64_t function) {
    uint64_t pc = deferred_pc(t, low_pc, function);
    bool same = pc && strcmp(st_places_function(t->places, pc).function,
                             st_places_function(t->places, function).function) == 0;
    return same ? pc : 0;
}

/* The functions that a thread is in and has not entered yet, where it starts: their place in the
 * stack, for as long as it takes to look at them. Returns the innermost function of all. */
static uint64_t push_within(struct st_translator *t, const struct thread *emitter,
                            struct thread *thread) {
    uint32_t call = call_of(thread);
    uint64_t function = call ? st_call(&t->sites, call).function : 0;
    size_t count = emitter->within_count;
    if (!count || emitter->within[count - 1].function == function)
        return function;
    st_reserve(&thread->frames, &thread->frame_capacity, thread->depth + count);
    for (size_t i = 0; i < count; i++)
        thread->frames[thread->depth++] =
            (struct frame){.call = call, .called_from = emitter->within[i].called_from};
    return emitter->within[count - 1].function;
}

/* A load that another one stood for (runtime/tsan/looks.h), except for what the function does that
 * it is in. What it looked at is one word. */
static void translate_look(struct st_translator *t, struct thread *emitter,
                           const struct st_stream_record *record) {
    uint64_t at = record->argument >> 16;
    uint32_t number = st_slots_thread(&t->slots, record->argument & 0xffff, at);
    unsigned bytes = st_stream_aux(record);
    struct thread *thread = number == ST_SLOT_NONE ? NULL : t->threads[number];
    if (!thread || !bytes)
        return;
    uint64_t address = st_stream_address(record) + (unsigned)__builtin_ctz(bytes);
    size_t depth = thread->depth;
    uint64_t function = push_within(t, emitter, thread);
    uint64_t pc = look_pc(t, (uint32_t)record[1].argument, function);
    bool data = pc && st_translate_looks_at_data(t, thread, pc, &address);
    thread->depth = depth;
    if (!data)
        return;
    set_access(t, number, deferred_loc(t, emitter, number, at, (uint32_t)record[1].argument), at);
    t->access.read = ST_DEFERRED_READ;
    t->access.atomic = t->access.fresh = false;
    t->access.length = (unsigned)__builtin_popcount(bytes);
    st_variables_touch(&t->variables, address, t->access.length, false, visit, t);
}

void st_translate_deferred(struct st_translator *t, struct thread *emitter,
                           const struct st_stream_record *record, bool write) {
    if (st_stream_aux(&record[1]) & ST_STREAM_LOOK)
        translate_look(t, emitter, record);
    else
        translate_deferred(t, emitter, record, write);
    emitter->within_count = emitter->then_count = 0;
    emitter->then_unknown = false;
}

/* ---- fresh memory (memory/fresh.h) ---- */

/* The memory is freed or allocated: it is nobody's fresh memory any more. Threads that have none
 * leave the list. */
void st_translate_not_fresh(struct st_translator *t, const struct st_stream_record *record) {
    for (size_t i = 0; i < t->fresh_count;) {
        struct thread *thread = t->fresh[i];
        st_fresh_remove(&thread->fresh, st_stream_address(record), record[1].argument);
        if (thread->fresh.count) {
            i++;
        } else {
            thread->is_fresh = false;
            t->fresh[i] = t->fresh[--t->fresh_count];
        }
    }
}

void st_translate_fresh(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record) {
    if (t->options.dead_before) /* it is no recording */
        return;
    st_translate_not_fresh(t, record);
    st_fresh_add(&thread->fresh, st_stream_address(record), record[1].argument);
    if (thread->is_fresh)
        return;
    thread->is_fresh = true;
    st_reserve(&t->fresh, &t->fresh_capacity, t->fresh_count + 1);
    t->fresh[t->fresh_count++] = thread;
}

void st_translate_leave_fresh(struct st_translator *t, const struct thread *thread) {
    for (size_t i = 0; i < t->fresh_count && thread->is_fresh; i++)
        if (t->fresh[i] == thread)
            t->fresh[i] = t->fresh[--t->fresh_count];
}
