#include "runtime/core/call_stack.h"
#include "runtime/core/shadow.h"
#include "runtime/core/stream_writer.h"
#include "runtime/core/thread_slot.h"

/* ---- emitting ---- */

static bool is_handler(const struct rt_frame *frame) {
    return !frame->block && frame->called_from && frame->called_from == rt_signal_return;
}

/* The epoch stays what it is, and the watcher learns that so many have passed. */
static void emit_passed(struct rt_thread *t, uint64_t passed) {
    rt_write_record(t, st_stream_what(ST_STREAM_AT, 0, 0), passed - 1);
    t->base--;
    t->ahead -= passed;
}

/* The record behind this is of an epoch that comes so much later than the watcher thinks. Returns
 * what the record has to say about that. */
static inline unsigned pass(struct rt_thread *t, uint64_t passed, unsigned most) {
    if (__builtin_expect(passed > most, 0)) {
        emit_passed(t, passed);
        return 0;
    }
    t->ahead -= passed;
    return (unsigned)passed;
}

/* `passed`: as above, when it began. */
static inline void emit_frame(struct rt_thread *t, const struct rt_frame *frame, uint64_t passed,
                              unsigned aux) {
    enum st_stream_op op = frame->block ? ST_STREAM_BEGIN : ST_STREAM_ENTER;
    if (!frame->block) {
        aux |= pass(t, passed, ST_STREAM_MOST_PASSED) << ST_STREAM_PASSED_AT;
        aux |= is_handler(frame) ? ST_STREAM_HANDLER : 0;
        aux |= t->skipped ? ST_STREAM_AFTER_SKIPPED : 0;
    } else {
        pass(t, passed, 0);
    }
    t->skipped = false;
    rt_put_record(t, st_stream_what(op, aux, frame->called_from), frame->function);
}

/* A new epoch begins. */
static inline void emit_new(struct rt_thread *t, struct rt_frame *frame) {
    emit_frame(t, frame, t->ahead, 0);
    frame->alike_before = t->alike;
    rt_new_epoch(t);
    atomic_store_explicit(&frame->begun, t->alike, memory_order_release);
}

/* It began some epochs ago, and the epoch stays what it is. */
static void emit_late(struct rt_thread *t, const struct rt_frame *frame) {
    uint64_t begun = rt_epoch_of(atomic_load_explicit(&frame->begun, memory_order_relaxed));
    emit_frame(t, frame, begun - (t->base - t->ahead + t->position + 1), ST_STREAM_COUNTED);
    t->base--;
    t->ahead--;
}

/* Whoever sees that they are emitted must come after them in the stream. */
static void set_emitted(struct rt_thread *t, size_t depth) {
    rt_publish(t);
    __atomic_store_n(&t->emitted_depth, depth, __ATOMIC_RELEASE);
}

/* A pending sequence number is for the event behind them. */
static void emit_frames_below(struct rt_thread *t, size_t depth) {
    size_t i = t->emitted_depth, boarded = t->boarded_depth;
    while (i < depth && i < boarded)
        emit_late(t, &t->frames[i++]);
    if (i < depth)
        t->boarded_depth = depth;
    while (i < depth)
        emit_new(t, &t->frames[i++]);
    set_emitted(t, depth);
}

/* How deep what the thread starts with can be in the stack. In C++ a few functions of the library
 * are below it. The program starts with main, which is not what is meant here. */
static size_t start_depth(const struct rt_thread *t) {
    enum { DEEPEST_START = 8, LONGEST_PROLOGUE = 128 };
    if (!t->serial)
        return 0;
    return t->frames[0].function - t->start < LONGEST_PROLOGUE ? 1 : DEEPEST_START;
}

static void find_start(struct rt_thread *t) {
    if (!t->emitted_depth)
        t->start_depth = start_depth(t);
}

void rt_emit_new_frames(struct rt_thread *t) {
    if (t->emitted_depth == t->depth) { /* so there is something that was skipped */
        t->skipped = false;
        rt_emit(t, st_stream_what(ST_STREAM_SKIPPED, 0, 0), 0);
        rt_publish(t);
        return;
    }
    find_start(t);
    emit_frames_below(t, t->depth);
}

void rt_emit_boarded(struct rt_thread *t) {
    if (t->emitted_depth < t->boarded_depth)
        emit_frames_below(t, t->boarded_depth);
    if (t->ahead)
        emit_passed(t, t->ahead);
}

void rt_emit_boarded_by(struct rt_thread *t, uint64_t epoch) {
    size_t depth = t->emitted_depth;
    while (depth < t->boarded_depth && rt_epoch_of(atomic_load_explicit(
                                           &t->frames[depth].begun, memory_order_relaxed)) <= epoch)
        depth++;
    if (depth > t->emitted_depth)
        emit_frames_below(t, depth);
}

/* ---- boarding ---- */

/* Finds where the slot's thread counts the function of a frame. False: there is no room. */
static __attribute__((noinline)) bool find_counter(struct st_stream_counter *all,
                                                   struct rt_frame *frame) {
    enum { TRIES = 16 };
    uint64_t hash = frame->function * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    for (unsigned i = 0; i < TRIES; i++) {
        frame->counter = (hash + i) % ST_STREAM_COUNTERS;
        struct st_stream_counter *counter = &all[frame->counter];
        uint64_t there = atomic_load_explicit(&counter->function, memory_order_relaxed);
        if (!there)
            atomic_store_explicit(&counter->function, frame->function, memory_order_relaxed);
        if (!there || there == frame->function)
            return true;
    }
    return false;
}

/* Counts a call of the frame's function. Mostly it is the one that was there before. */
static inline bool count(const struct rt_thread *t, struct rt_frame *frame) {
    struct st_stream_counter *all = st_stream_counters(rt_head) + t->slot * ST_STREAM_COUNTERS;
    if (__builtin_expect(atomic_load_explicit(&all[frame->counter].function,
                                              memory_order_relaxed) != frame->function,
                         0) &&
        !find_counter(all, frame))
        return false;
    struct st_stream_counter *counter = &all[frame->counter];
    uint64_t calls = atomic_load_explicit(&counter->count, memory_order_relaxed);
    atomic_store_explicit(&counter->count, calls + 1, memory_order_relaxed);
    return true;
}

/* A new epoch, of which the watcher does not hear. */
static void pass_epoch(struct rt_thread *t) {
    t->base++;
    t->ahead++;
    t->current = rt_present(t);
}

/* False: it cannot be counted. */
static inline bool board_frame(struct rt_thread *t, struct rt_frame *frame) {
    if (!count(t, frame))
        return false;
    frame->alike_before = t->alike;
    pass_epoch(t);
    t->alike = t->current;
    atomic_store_explicit(&frame->begun, t->alike, memory_order_release);
    t->boarded_depth++;
    return true;
}

/* The frames from here on can be boarded, those of them that are not yet. */
static size_t boarding_from(const struct rt_thread *t) {
    size_t least = t->start_depth > t->work_depth ? t->start_depth : t->work_depth;
    if (!rt_deferring || rt_controlled || t->slot >= ST_STREAM_COUNTED_SLOTS)
        return t->depth;
    for (size_t i = t->depth; i-- > t->boarded_depth;)
        if (i <= least || t->frames[i].block || is_handler(&t->frames[i]))
            return i + 1;
    return t->boarded_depth;
}

void rt_board_new_frames(struct rt_thread *t) {
    find_start(t);
    size_t from = boarding_from(t);
    if (from > t->boarded_depth)
        emit_frames_below(t, from);
    while (t->boarded_depth < t->depth && board_frame(t, &t->frames[t->boarded_depth]))
        ;
    if (t->boarded_depth < t->depth || t->skipped)
        rt_emit_new_frames(t);
    t->since = rt_since_of(t) | rt_slow_accesses;
}

/* Innermost functions, in a thread of which the outer ones are emitted or boarded. */
bool rt_board_quickly(struct rt_thread *t) {
    size_t least = t->start_depth > t->work_depth ? t->start_depth : t->work_depth;
    if (t->inside || t->skipped || t->ignoring || !t->emitted_depth || t->boarded_depth <= least ||
        t->slot >= ST_STREAM_COUNTED_SLOTS)
        return false;
    t->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    struct rt_frame *frame = &t->frames[t->boarded_depth], *end = &t->frames[t->depth];
    while (frame < end && !frame->block && !is_handler(frame) && board_frame(t, frame))
        frame++;
    t->since = rt_since_of(t);
    atomic_signal_fence(memory_order_seq_cst);
    t->inside = false;
    return t->since != RT_STALE;
}

/* Reports say in which functions an access happened. */
static void note_left(struct rt_thread *t, const struct rt_frame *frame, uint64_t begun) {
    struct rt_left_frame *left = &t->left[t->left_count % RT_LEFT_FRAMES];
    atomic_store_explicit(&left->begun, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    left->ended = rt_epoch_of(t->current);
    left->function = frame->function;
    left->called_from = frame->called_from;
    left->index = (uint32_t)t->depth;
    left->emitted = (uint32_t)t->emitted_depth;
    atomic_store_explicit(&left->begun, begun, memory_order_release);
    __atomic_store_n(&t->left_count, t->left_count + 1, __ATOMIC_RELEASE);
}

static bool copy_left(const struct rt_thread *t, size_t number, uint32_t slot,
                      struct rt_left_frame *copy) {
    const struct rt_left_frame *left = &t->left[number % RT_LEFT_FRAMES];
    uint64_t begun = atomic_load_explicit(&left->begun, memory_order_acquire);
    *copy = *left;
    atomic_thread_fence(memory_order_acquire);
    return begun && rt_slot_of(begun) == slot && copy->begun == begun &&
           atomic_load_explicit(&left->begun, memory_order_relaxed) == begun;
}

/* The number of the first one that ended after that epoch; they end one after the other. */
static size_t first_left_after(const struct rt_thread *t, size_t count, uint64_t epoch) {
    size_t low = count > RT_LEFT_FRAMES ? count - RT_LEFT_FRAMES : 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t ended = __atomic_load_n(&t->left[middle % RT_LEFT_FRAMES].ended, __ATOMIC_RELAXED);
        if (ended > epoch)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Frames that are around another one end later. Where what is around was emitted, there are no more
 * of them. */
size_t rt_frames_left(const struct rt_thread *t, uint32_t slot, uint64_t epoch,
                      struct rt_left_frame *frames) {
    enum { TRIES = 64 };
    size_t found = 0, count = __atomic_load_n(&t->left_count, __ATOMIC_ACQUIRE);
    size_t i = first_left_after(t, count, epoch);
    for (int tries = 0; i < count && tries < TRIES && found < RT_MOST_WITHIN; i++, tries++) {
        struct rt_left_frame *frame = &frames[found];
        if (!copy_left(t, i, slot, frame))
            break;
        found += rt_epoch_of(frame->begun) <= epoch;
        if (frame->emitted >= frame->index)
            break;
    }
    return found;
}

/* The frame was left, which was boarded and never emitted. Nothing is known of it, and what the
 * thread does next is like what it did before it. */
static inline void leave_boarded(struct rt_thread *t, const struct rt_frame *frame) {
    uint64_t begun = atomic_load_explicit(&frame->begun, memory_order_relaxed);
    bool alike = t->alike == begun;
    pass_epoch(t);
    t->alike = alike ? frame->alike_before : t->current;
    if (!t->alone) /* what it accessed is never emitted */
        note_left(t, frame, begun);
    t->since = rt_since_of(t) | rt_slow_accesses;
}

/* ---- where frames are ---- */

/* Where the return address of a frame lies, above its stack pointer and below that of its caller;
 * 0: not found. The outermost frame has no caller that we know, but its return address is there. */
static uintptr_t find_return_address(const struct rt_frame *frame, const struct rt_frame *caller) {
    enum { LARGEST_FRAME = 128 * 1024 };
    uintptr_t end = frame->stack + LARGEST_FRAME;
    if (caller && caller->stack > frame->stack && caller->stack < end)
        end = caller->stack;
    for (uintptr_t at = (frame->stack + 7) & ~(uintptr_t)7; at < end; at += 8)
        if (*(const volatile uintptr_t *)at == frame->called_from)
            return at;
    return 0;
}

void rt_emit_stack(struct rt_thread *t) {
    enum { MOST_FRAMES = 32 };
    const struct rt_frame *caller = NULL;
    for (size_t i = t->depth > MOST_FRAMES ? t->depth - MOST_FRAMES : 0; i < t->depth; i++) {
        const struct rt_frame *frame = &t->frames[i];
        if (frame->block)
            continue;
        uintptr_t at = find_return_address(frame, caller);
        caller = frame;
        if (!at)
            continue;
        rt_emit(t, st_stream_what(ST_STREAM_FRAME, 0, frame->stack), frame->function);
        rt_emit(t, st_stream_what(ST_STREAM_LENGTH, 0, 0), at + 8 - frame->stack);
    }
}

/* ---- leaving ---- */

/* The frame was left, which was emitted. */
static void new_epoch_outside(struct rt_thread *t, const struct rt_frame *frame) {
    bool alike = t->alike == atomic_load_explicit(&frame->begun, memory_order_relaxed) &&
                 rt_deferring && t->depth > t->start_depth;
    rt_new_deferred_epoch(t);
    if (alike) {
        t->alike = frame->alike_before;
        t->since = rt_since_of(t) | rt_slow_accesses;
    }
}

static inline uint64_t begun_at(const struct rt_frame *frame) {
    return rt_epoch_of(atomic_load_explicit(&frame->begun, memory_order_relaxed));
}

/* The frame at `high` began later. Mostly one of the next ones around it is what is looked for. */
static size_t first_begun_after(const struct rt_thread *t, size_t high, uint64_t epoch) {
    enum { NEAR = 4 };
    size_t low = 0;
    for (size_t i = 0; i < NEAR && low < high; i++, high--)
        if (begun_at(&t->frames[high - 1]) <= epoch)
            return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (begun_at(&t->frames[middle]) > epoch)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t rt_find_last_alike(const struct rt_thread *t, uint64_t epoch) {
    const struct rt_frame *frame = &t->frames[first_begun_after(t, t->boarded_depth - 1, epoch)];
    return epoch < rt_epoch_of(frame->alike_before) ? epoch : begun_at(frame) - 1;
}

/* Another thread may be looking at the old ones, which stay where they are. */
static __attribute__((noinline)) bool grow_frames(struct rt_thread *t) {
    size_t capacity = t->capacity ? 2 * t->capacity : 512;
    struct rt_frame *frames = rt_map_memory(capacity * sizeof *frames);
    if (!frames)
        return false;
    for (size_t i = 0; i < t->depth; i++)
        frames[i] = t->frames[i];
    __atomic_store_n(&t->frames, frames, __ATOMIC_RELEASE);
    t->capacity = capacity;
    return true;
}

static inline void push(struct rt_thread *t, uintptr_t function, uintptr_t called_from,
                        uintptr_t stack, bool block) {
    if (__builtin_expect(t->depth == t->capacity, 0) && !grow_frames(t)) {
        rt_give_up();
        return;
    }
    struct rt_frame *place = &t->frames[t->depth];
    atomic_store_explicit(&place->begun, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    place->function = function;
    place->called_from = called_from;
    place->stack = stack;
    place->block = block;
    place->number = 0;
    __atomic_store_n(&t->depth, t->depth + 1, __ATOMIC_RELEASE);
    t->since = RT_STALE;
}

static void leave_emitted(struct rt_thread *t, const struct rt_frame *frame) {
    t->emitted_depth = t->boarded_depth = t->depth;
    t->skipped = false;
    uint64_t passed = t->ahead;
    t->ahead = 0;
    rt_emit(t, st_stream_what(frame->block ? ST_STREAM_END : ST_STREAM_LEAVE, 0, 0), passed);
    rt_publish(t);
    new_epoch_outside(t, frame);
}

static void pop(struct rt_thread *t) {
    if (t->depth == 0)
        return; /* entered before the runtime started */
    const struct rt_frame *frame = &t->frames[--t->depth];
    if (t->emitted_depth > t->depth) {
        leave_emitted(t, frame);
    } else if (t->boarded_depth > t->depth) {
        t->boarded_depth = t->depth;
        leave_boarded(t, frame);
    } else if (t->boarded_depth == t->depth + t->ignoring) {
        t->since = rt_since_of(t) | rt_slow_accesses;
        t->skipped = t->depth <= t->start_depth;
    }
}

void rt_function_enter(uintptr_t function, uintptr_t called_from, uintptr_t frame) {
    struct rt_thread *t = rt_self;
    push(t, function, called_from, frame, false);
}

/* Blocks that the function left open end with it. */
static __attribute__((noinline)) void leave_function_and_blocks(struct rt_thread *t) {
    while (t->depth && t->frames[t->depth - 1].block)
        pop(t);
    pop(t);
}

void rt_function_leave(void) {
    struct rt_thread *t = rt_self;
    size_t depth = t->depth;
    if (t->boarded_depth != depth || t->emitted_depth >= depth || t->frames[depth - 1].block) {
        leave_function_and_blocks(t);
        return;
    }
    t->depth = t->boarded_depth = depth - 1;
    leave_boarded(t, &t->frames[depth - 1]);
}

/* Each use of a text emits it: records of different threads have no order. */
static uint64_t emit_name(struct rt_thread *t, const char *text) {
    static _Atomic uint64_t texts;
    uint64_t id = atomic_fetch_add(&texts, 1) + 1;
    rt_emit_text(t, id, text);
    return id;
}

_Atomic bool rt_has_blocks;

void rt_block_begin(const char *name, uintptr_t caller) {
    atomic_store_explicit(&rt_has_blocks, true, memory_order_relaxed);
    struct rt_thread *t = rt_self;
    uint64_t text = emit_name(t, name ? name : "");
    push(t, text, caller, 0, true);
}

/* An end belongs to the innermost block. */
void rt_block_end(void) {
    struct rt_thread *t = rt_self;
    size_t i = t->depth;
    while (i > 0 && !t->frames[i - 1].block)
        i--;
    if (i == 0)
        return;
    if (i == t->depth) {
        pop(t);
        return;
    }
    /* It began in a function that is still open and ends in one that was called from there: since
     * blocks must nest, the functions in between are left here. */
    rt_unwind(i - 1);
}

void rt_unwind(size_t depth) {
    while (rt_self->depth > depth)
        pop(rt_self);
}

/* The outermost `depth` frames are those that stay, of the ones from `first` on that lie on one
 * stack. */
static size_t depth_at_stack(const struct rt_thread *t, size_t first, size_t depth,
                             uintptr_t stack) {
    size_t before = depth;
    while (depth > first && (t->frames[depth - 1].block || t->frames[depth - 1].stack < stack))
        depth--;
    /* Blocks right above the frame that stays were begun in it, and stay too. */
    while (depth < before && t->frames[depth].block)
        depth++;
    return depth;
}

/* The innermost frame below `depth` that is the handler of a signal; `depth` if there is none. */
static size_t find_handler(const struct rt_thread *t, size_t depth) {
    if (rt_signal_return)
        for (size_t i = depth; i-- > 0;)
            if (!t->frames[i].block && t->frames[i].called_from == rt_signal_return)
                return i;
    return depth;
}

void rt_unwind_to_stack(uintptr_t stack, uintptr_t from) {
    struct rt_thread *t = rt_self;
    size_t depth = t->depth, handler;
    while ((handler = find_handler(t, depth)) < depth) {
        /* What is above a handler lies on one stack, below the handler's own frame. */
        if (stack > from && stack <= t->frames[handler].stack) {
            rt_unwind(depth_at_stack(t, handler, depth, stack));
            return;
        }
        depth = handler;
        from = 0;
    }
    rt_unwind(depth_at_stack(t, 0, depth, stack));
}
