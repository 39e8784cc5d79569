/* Functions and blocks: which are open, and where they begin and end. */
#include "watch/translator_state.h"

#include "base/memory.h"
#include "symbol/code/code_flow.h"
#include "symbol/symbol.h"

#include <string.h>

/* clang gives a lambda of the C++ library a name that is not of the library. Its own functions for
 * OpenMP, which combine and copy data, begin with a dot. oneTBB consists of templates. Objects with
 * static storage are initialised by functions that compilers add. */
static bool is_hidden(const struct st_code *code) {
    static const char *const starts[] = {"std::", "__", "_GLOBAL__", ".omp", "tbb::", NULL};
    static const char *const folders[] = {"/include/c++/", "/include/oneapi/tbb/", NULL};
    for (const char *const *start = starts; *start; start++)
        if (strncmp(code->function, *start, strlen(*start)) == 0)
            return true;
    for (const char *const *folder = folders; *folder; folder++)
        if (strstr(code->file, *folder))
            return true;
    return false;
}

/* The code of a parallel region or of a task is what its work starts with. clang puts a second
 * function around it. */
static bool is_outlined(const char *name) {
    size_t length = strlen(name), rest = strlen(ST_OUTLINED);
    return length >= rest && strcmp(name + length - rest, ST_OUTLINED) == 0;
}

/* Also the main method of a Java program. */
static bool is_main(const struct st_code *code, const struct st_java_row *java) {
    if (java->kind != ST_JAVA_METHOD)
        return strcmp(code->function, "main") == 0;
    const char *dot = strrchr(code->function, '.');
    return dot && strcmp(dot, ".main") == 0 &&
           strcmp(java->descriptor, "([Ljava/lang/String;)V") == 0;
}

static enum kind kind_of(const struct st_spec *spec, const struct st_code *code, bool by_default) {
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
    struct st_java_row java = st_places_java(t->places, pc);
    function->java = java.kind != ST_JAVA_NOTHING;
    function->hidden = !function->java && is_hidden(&code);
    function->coroutine = !function->java && st_places_is_coroutine(t->places, pc);
    function->suspends = !function->java && st_suspends_coroutine(code.function);
    function->calls = function->java ? 0 : (uint16_t)st_library_calls(code.function);
    function->kind =
        kind_of(t->options.spec, &code,
                !function->hidden && !is_main(&code, &java) && !is_outlined(code.function));
    function->block = st_names_add(&t->symbols.blocks, code.function, strlen(code.function));
}

/* The outermost function of the user's that was inlined at a call; false if there is none. */
static bool find_inlined_at(struct st_translator *t, uint64_t pc, struct st_code *found) {
    struct st_code code;
    bool any = false;
    for (size_t depth = 0; st_places_frame(t->places, pc, depth, &code); depth++) {
        if (is_hidden(&code))
            continue;
        *found = code;
        any = true;
    }
    return any;
}

/* A function of the library may be one with what a thread starts with, because that was inlined
 * into it: clang does so with a lambda that is given to std::thread. */
static void learn_inlined(struct st_translator *t, struct function *function, uint64_t pc) {
    struct st_code_flow *flow = st_places_flow(t->places, pc);
    struct st_code code;
    size_t position = 0;
    uint64_t call;
    *function = (struct function){.known = true, .hidden = true};
    function->block = st_names_add(&t->symbols.blocks, "", 0);
    while (flow && function->hidden && (call = st_code_flow_next_call(flow, &position))) {
        if (!find_inlined_at(t, call, &code))
            continue;
        function->hidden = false;
        function->inlined = true;
        function->kind = kind_of(t->options.spec, &code,
                                 strcmp(code.function, "main") != 0 && !is_outlined(code.function));
        function->block = st_names_add(&t->symbols.blocks, code.function, strlen(code.function));
    }
    st_code_flow_free(flow);
}

static struct function *function_at(struct st_translator *t, uint64_t pc) {
    uint32_t number = st_map64_number(&t->functions, pc);
    st_reserve(&t->function_facts, &t->function_capacity, (size_t)number + 1);
    struct function *function = &t->function_facts[number];
    if (!function->known)
        learn_function(t, function, pc);
    return function;
}

/* What was inlined into the function of the library at the address, under a key of its own. */
#define INLINED (UINT64_C(1) << 63)
static struct function *inlined_at(struct st_translator *t, uint64_t pc) {
    uint32_t number = st_map64_number(&t->functions, pc | INLINED);
    st_reserve(&t->function_facts, &t->function_capacity, (size_t)number + 1);
    struct function *function = &t->function_facts[number];
    if (!function->known)
        learn_inlined(t, function, pc);
    return function->hidden ? NULL : function;
}

static struct frame *push(struct thread *thread, struct frame frame) {
    if (!frame.call)
        frame.call = call_of(thread);
    st_reserve(&thread->frames, &thread->frame_capacity, thread->depth + 1);
    thread->frames[thread->depth++] = frame;
    change_context(thread);
    return &thread->frames[thread->depth - 1];
}

static void emit_begin(struct st_translator *t, const struct thread *thread,
                       const struct frame *frame, bool again) {
    emit_event(t,
               (struct st_event){.thread = thread->number,
                                 .target = frame->block,
                                 .loc = frame->loc,
                                 .written = ST_BEGIN,
                                 .atomic = frame->start,
                                 .fresh = frame->counted,
                                 .joined = again,
                                 .op = ST_BEGIN},
               thread->at);
}

/* Its begin belongs to what is around it; what follows is in it. */
void st_translate_begin_block(struct st_translator *t, struct thread *thread, struct frame frame,
                              uint64_t pc) {
    struct frame *pushed = push(thread, frame);
    pushed->loc = loc_at(t, thread, pc);
    emit_begin(t, thread, pushed, false);
    if (t->options.outline) {
        uint64_t function = pushed->call ? st_call(&t->sites, pushed->call).function : 0;
        pushed->call = t->options.recorded && function ? st_translate_outline(t, function) : 0;
        change_context(thread);
    }
}

static void end_block(struct st_translator *t, struct thread *thread, const struct frame *frame) {
    if (frame->kind != NO_BLOCK && !frame->paused)
        emit(t, thread, ST_END, frame->block, frame->loc);
}

/* A critical section that outlasts the function or block that it began in ends with it. */
void st_translate_pop(struct st_translator *t, struct thread *thread) {
    const struct frame *frame = &thread->frames[--thread->depth];
    end_block(t, thread, frame);
    change_context(thread);
    if (frame->suspends)
        st_translate_resume(t, thread, frame->suspended);
    if (thread->turns.flow && thread->depth <= thread->turns.base) {
        thread->turns.open = false;
        if (thread->depth < thread->turns.base)
            thread->turns.flow = NULL;
    }
    if (frame->starts && thread->pauses)
        thread->started = false; /* a library calls it for each piece of the work */
}

/* Is it no function, and ends with the one that it began in? */
static bool is_part(const struct frame *frame) {
    return frame->kind == SECTION || frame->kind == OVER || frame->kind == TURN;
}

void st_translate_leave(struct st_translator *t, struct thread *thread, bool annotated) {
    size_t depth = thread->depth;
    while (depth && (is_part(&thread->frames[depth - 1]) ||
                     thread->frames[depth - 1].annotated != annotated))
        depth--;
    if (!depth)
        return; /* it was opened before the runtime started */
    while (thread->depth >= depth)
        st_translate_pop(t, thread);
    while (thread->depth && thread->frames[thread->depth - 1].kind == OVER)
        st_translate_pop(t, thread);
}

bool st_translate_is_hidden(struct st_translator *t, const struct st_stream_record *enter) {
    return function_at(t, enter->argument)->hidden;
}

/* What the library does in a function of its own is what those around it do; the program's own
 * functions, be they called by the library, are the program's again. */
static unsigned calls_in(struct st_translator *t, const struct thread *thread,
                         const struct function *function, uint64_t called_from) {
    if (!function->hidden)
        return 0;
    unsigned calls = function->calls | st_library_calls_at(t, called_from);
    return thread->depth ? calls | thread->frames[thread->depth - 1].calls : calls;
}

/* A function that waits for others is no step of those around it: they end before and begin again
 * after it. What the library does in between is in no inferred block. (A wait at a word of the
 * program's own may be one for a lock: that is decided access by access.) */
static void enter_library(struct st_translator *t, struct thread *thread, struct frame frame) {
    bool waits_already = thread->depth && is_waiting_call(thread->frames[thread->depth - 1].calls);
    if (is_waiting_call(frame.calls) && !waits_already) {
        frame.suspends = true;
        frame.suspended = (uint32_t)st_translate_suspend(t, thread);
    }
    push(thread, frame);
}

void st_translate_open(struct st_translator *t, struct thread *thread, struct function *function,
                       struct frame frame, uint64_t pc) {
    function->was_block |= frame.kind != NO_BLOCK;
    if (frame.kind == NO_BLOCK)
        enter_library(t, thread, frame);
    else
        st_translate_begin_block(t, thread, frame, pc);
}

/* Is it what the thread, or work of its own in it, starts with? A handler of a signal may come
 * before that. And it may have been inlined into a function of a library: then this one is called
 * there. */
static bool is_start(struct st_translator *t, const struct thread *thread,
                     const struct function *function, const struct st_stream_record *record) {
    if (thread->started || function->hidden || st_stream_aux(record) & ST_STREAM_HANDLER)
        return false;
    return !thread->depth || !thread->frames[thread->depth - 1].hidden ||
           !st_translate_is_users(t, st_stream_address(record));
}

/* The function that is entered, as it is to be seen. */
static struct function *entered(struct st_translator *t, const struct thread *thread,
                                const struct st_stream_record *record) {
    struct function *function = function_at(t, record->argument), *inlined = NULL;
    if (!thread->started && function->hidden && !(st_stream_aux(record) & ST_STREAM_HANDLER))
        inlined = inlined_at(t, record->argument);
    return inlined ? inlined : function_at(t, record->argument);
}

/* A coroutine stops, and waits on purpose, though its thread does not. */
static bool suspends_coroutine(struct st_translator *t, const struct thread *thread,
                               const struct function *function, uint64_t called_from) {
    bool in_coroutine = thread->depth && thread->frames[thread->depth - 1].coroutine;
    return function->suspends || (in_coroutine && st_suspends_coroutine_at(t, called_from));
}

void st_translate_enter(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record) {
    struct function *function = entered(t, thread, record);
    enum kind kind = function->kind;
    if (t->options.dead_before)
        st_translate_start(t, thread->number, thread->at);
    if (function->java && !thread->depth)
        thread->started = false; /* a thread of a pool: the next task */
    bool starts = is_start(t, thread, function, record);
    bool early = !thread->started && !(st_stream_aux(record) & ST_STREAM_HANDLER);
    if (!(st_stream_aux(record) & ST_STREAM_HANDLER)) {
        thread->turns.skipped |= (st_stream_aux(record) & ST_STREAM_AFTER_SKIPPED) != 0;
        step(t, thread, st_stream_address(record));
    }
    struct st_call call = {record->argument, st_stream_address(record), call_of(thread)};
    struct frame frame = {.kind = kind,
                          .hidden = function->hidden,
                          .coroutine = function->coroutine,
                          .counted = (st_stream_aux(record) & ST_STREAM_COUNTED) != 0,
                          .starts = starts,
                          .calls = (uint16_t)calls_in(t, thread, function, call.called_from),
                          .block = function->block,
                          .call = st_sites_call(&t->sites, call),
                          .called_from = call.called_from};
    if (suspends_coroutine(t, thread, function, call.called_from))
        st_translate_split(t, thread, ST_SPLIT_HERE);
    if (starts) {
        thread->started = function->started = true;
        st_translate_enter_start(t, thread, function, frame, record->argument);
    } else {
        st_translate_open(t, thread, function, frame, record->argument);
    }
    if (early && t->head)
        st_translate_tell_start(t, function, record->argument, starts);
}

void st_translate_begin(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record) {
    uint32_t text = st_map64_number(&t->texts, record->argument);
    st_reserve(&t->text_blocks, &t->text_capacity, (size_t)text + 1);
    struct frame frame = {.kind = NAMED, .annotated = true, .block = t->text_blocks[text] - 1};
    if (is_on_top(thread)) /* it may outlast the turn */
        st_translate_end_turn(t, thread);
    st_translate_begin_block(t, thread, frame, st_stream_address(record));
}

/* Inferred blocks can be split if no named one is open in them. */
size_t st_translate_suspend(struct st_translator *t, struct thread *thread) {
    size_t first = thread->depth;
    while (first && thread->frames[first - 1].kind < NAMED && !thread->frames[first - 1].suspends &&
           !thread->frames[first - 1].paused)
        first--;
    for (size_t i = thread->depth; i-- > first;)
        end_block(t, thread, &thread->frames[i]);
    return first;
}

void st_translate_resume(struct st_translator *t, struct thread *thread, size_t first) {
    for (size_t i = first; i < thread->depth; i++)
        if (thread->frames[i].kind != NO_BLOCK && !thread->frames[i].paused)
            emit_begin(t, thread, &thread->frames[i], true);
}

static void begin_other_work(struct st_translator *t, struct thread *thread) {
    size_t first = st_translate_suspend(t, thread);
    thread->pauses++;
    for (size_t i = first; i < thread->depth; i++)
        thread->frames[i].paused = thread->pauses;
    thread->started = false;
}

/* Whatever was entered since the pause was left. */
static void end_other_work(struct st_translator *t, struct thread *thread) {
    if (!thread->pauses)
        return; /* the pause came before the runtime started */
    size_t first = thread->depth;
    for (; first && thread->frames[first - 1].paused == thread->pauses; first--)
        thread->frames[first - 1].paused = 0;
    thread->pauses--;
    thread->started = true;
    st_translate_resume(t, thread, first);
}

void st_translate_split(struct st_translator *t, struct thread *thread, enum st_stream_split kind) {
    if (kind == ST_SPLIT_PAUSE)
        begin_other_work(t, thread);
    else if (kind == ST_SPLIT_RESUME)
        end_other_work(t, thread);
    else
        st_translate_resume(t, thread, st_translate_suspend(t, thread));
}

void st_translate_leave_all(struct st_translator *t, struct thread *thread) {
    while (thread->depth)
        st_translate_pop(t, thread);
}

void st_translate_end_section(struct st_translator *t, struct thread *thread) {
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
    for (; i <= thread->depth; i++) { /* functions, whose callers have changed */
        if (thread->frames[i - 1].suspends)
            thread->frames[i - 1].suspended--; /* what it suspends is above the section, too */
        struct st_call call = st_call(&t->sites, thread->frames[i - 1].call);
        call.caller = i > 1 ? thread->frames[i - 2].call : 0;
        thread->frames[i - 1].call = st_sites_call(&t->sites, call);
    }
    change_context(thread);
}

/* ---- functions that were boarded ---- */

void st_translate_passed(struct st_translator *t, struct thread *thread, uint64_t epochs) {
    const uint64_t most = UINT64_C(1) << 37; /* that fit into shadow memory */
    if (epochs > most) {
        t->facts.garbage++;
        return;
    }
    thread->first_epoch += epochs;
    thread->at += epochs;
}

/* Functions that began after this epoch. */
static void leave_boarded_after(struct st_translator *t, struct thread *thread, uint64_t epoch) {
    while (thread->boarded && thread->depth && thread->frames[thread->depth - 1].begun > epoch) {
        thread->boarded--;
        st_translate_pop(t, thread);
    }
}

void st_translate_leave_boarded(struct st_translator *t, struct thread *thread) {
    leave_boarded_after(t, thread, 0);
    thread->boarded = 0;
}

bool st_translate_confirm(struct st_translator *t, struct thread *thread) {
    struct frame *outermost = &thread->frames[thread->depth - thread->boarded];
    if (outermost->begun != thread->at) {
        st_translate_leave_boarded(t, thread);
        return false;
    }
    outermost->begun = 0;
    thread->boarded--;
    st_past_add(&thread->past,
                (struct st_past_context){thread->at, outermost->call, heard_held_by(thread)});
    return true;
}

/* Whether the function is among those that its thread is known to have been in. */
static bool is_past(const struct thread *thread, uint64_t begun) {
    return thread->past.count && st_past_find(&thread->past, begun).epoch == begun;
}

/* What the thread was in is noted when it emits that itself. */
static void enter_boarded(struct st_translator *t, struct thread *thread,
                          const struct st_stream_record *record, uint64_t around) {
    struct st_past_context *ring = thread->past.ring;
    struct st_stream_record enter = *record;
    enter.what = st_stream_what(ST_STREAM_ENTER, ST_STREAM_COUNTED, st_stream_address(record));
    thread->past.ring = NULL;
    leave_boarded_after(t, thread, around);
    thread->locks_unknown = t->options.quiet_locks;
    st_translate_enter(t, thread, &enter);
    thread->locks_unknown = false;
    thread->last_pc = 0;
    thread->past.ring = ring;
    thread->frames[thread->depth - 1].begun = thread->at; /* perhaps a turn began below it */
    thread->boarded++;
}

void st_translate_boarded(struct st_translator *t, struct thread *emitter,
                          const struct st_stream_record *record) {
    uint64_t begun = record[1].argument >> 16, around = st_stream_address(&record[1]);
    uint32_t number = st_slots_thread(&t->slots, record[1].argument & 0xffff, begun);
    struct thread *thread = number == ST_SLOT_NONE ? NULL : t->threads[number];
    if (!thread || thread == emitter)
        return;
    bool block = t->options.outline && function_at(t, record->argument)->kind != NO_BLOCK;
    if (!is_past(thread, begun))
        st_translate_within(emitter, record, block);
    if (begun <= thread->at)
        return; /* more is known already */
    if (thread->held_back.there)
        st_translate_held_back(t, thread, NULL, 0);
    thread->at = begun;
    enter_boarded(t, thread, record, around);
}

/* ---- calls that the program has counted ---- */

static void take_count(struct st_translator *t, size_t i, st_call_sink *sink, void *context) {
    uint64_t pc = atomic_load_explicit(&t->counters[i].function, memory_order_relaxed);
    uint64_t count = atomic_load_explicit(&t->counters[i].count, memory_order_relaxed);
    if (!pc || count <= t->counted[i])
        return;
    struct function *function = function_at(t, st_places_now(t->places, pc));
    function->was_block |= function->kind != NO_BLOCK;
    if (function->kind != NO_BLOCK)
        sink(context, function->block, count - t->counted[i]);
    t->counted[i] = count;
}

void st_translator_take_counts(struct st_translator *t, st_call_sink *sink, void *context) {
    size_t slots =
        t->slots.count < ST_STREAM_COUNTED_SLOTS ? t->slots.count : ST_STREAM_COUNTED_SLOTS;
    if (!t->counters)
        return;
    st_reserve(&t->counted, &t->counted_capacity, slots * ST_STREAM_COUNTERS);
    for (size_t i = 0; i < slots * ST_STREAM_COUNTERS; i++)
        take_count(t, i, sink, context);
}
