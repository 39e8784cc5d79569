#include "runtime/core/call_stack.h"
#include "runtime/core/shadow.h"
#include "runtime/core/stream_writer.h"
#include "runtime/core/thread_slot.h"

/* ---- emitting ---- */

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
        aux |= rt_is_handler(frame) ? ST_STREAM_HANDLER : 0;
        aux |= t->skipped ? ST_STREAM_AFTER_SKIPPED : 0;
    } else {
        pass(t, passed, 0);
        if (aux & ST_STREAM_LOCK_FREE)
            rt_emit_no_locks(t);
        aux = 0;
    }
    t->skipped = false;
    rt_put_record(t, st_stream_what(op, aux, frame->called_from), frame->function);
}

/* A new epoch begins. */
static inline void emit_new(struct rt_thread *t, struct rt_frame *frame) {
    unsigned aux = t->holds_changed ? rt_emit_holds_at(t, rt_epoch_of(t->current)) : 0;
    emit_frame(t, frame, t->ahead, aux);
    frame->alike_before = t->alike;
    rt_new_epoch(t);
    atomic_store_explicit(&frame->begun, t->alike, memory_order_release);
}

/* It began some epochs ago, and the epoch stays what it is. */
static void emit_late(struct rt_thread *t, const struct rt_frame *frame) {
    uint64_t begun = rt_epoch_of(atomic_load_explicit(&frame->begun, memory_order_relaxed));
    unsigned aux = t->holds_changed ? rt_emit_holds_at(t, begun) : 0;
    emit_frame(t, frame, begun - (t->base - t->ahead + t->position + 1), aux | ST_STREAM_COUNTED);
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

void rt_emit_new_frames(struct rt_thread *t) {
    if (t->emitted_depth == t->depth) { /* so there is something that was skipped */
        t->skipped = false;
        rt_emit(t, st_stream_what(ST_STREAM_SKIPPED, 0, 0), 0);
        rt_publish(t);
        return;
    }
    rt_find_start(t);
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

/* Where a function is counted, if that place is not taken by another one. */
static inline size_t place_of(uintptr_t function) {
    return (function * UINT64_C(0x9E3779B97F4A7C15) >> 32) % ST_STREAM_COUNTERS;
}

/* Finds where the slot's thread counts a function. NULL: there is no room. */
static __attribute__((noinline)) struct st_stream_counter *
find_counter(struct st_stream_counter *all, uintptr_t function) {
    enum { TRIES = 16 };
    for (size_t i = 0; i < TRIES; i++) {
        struct st_stream_counter *counter = &all[(place_of(function) + i) % ST_STREAM_COUNTERS];
        uint64_t there = atomic_load_explicit(&counter->function, memory_order_relaxed);
        if (!there)
            atomic_store_explicit(&counter->function, function, memory_order_relaxed);
        if (!there || there == function)
            return counter;
    }
    return NULL;
}

/* Counts a call of a function. False: it cannot be counted. */
static inline bool count(const struct rt_thread *t, uintptr_t function) {
    struct st_stream_counter *all = st_stream_counters(rt_head) + t->slot * ST_STREAM_COUNTERS;
    struct st_stream_counter *counter = &all[place_of(function)];
    if (__builtin_expect(atomic_load_explicit(&counter->function, memory_order_relaxed) != function,
                         0) &&
        !(counter = find_counter(all, function)))
        return false;
    uint64_t calls = atomic_load_explicit(&counter->count, memory_order_relaxed);
    atomic_store_explicit(&counter->count, calls + 1, memory_order_relaxed);
    return true;
}

/* Boards the first frame that is not. False: it cannot be counted, or is to be emitted so that the
 * thread gives up. */
static inline bool board_frame(struct rt_thread *t) {
    size_t depth = t->boarded_depth;
    struct rt_frame *frame = &t->frames[depth];
    uint64_t base = t->base + 1, epoch = base + t->position;
    if (__builtin_expect(epoch >= RT_EPOCHS, 0) || !count(t, frame->function))
        return false;
    uint64_t begun = t->me | epoch << RT_EPOCH_AT;
    frame->alike_before = t->alike;
    atomic_store_explicit(&frame->begun, begun, memory_order_release);
    t->base = base; /* a new epoch, of which the watcher does not hear */
    t->ahead++;
    t->current = t->alike = begun;
    t->boarded_depth = depth + 1;
    return true;
}

/* The frames from here on can be boarded, those of them that are not yet. */
static size_t boarding_from(const struct rt_thread *t) {
    size_t least = rt_deepest_start(t);
    if (!rt_deferring || rt_controlled || t->slot >= ST_STREAM_COUNTED_SLOTS)
        return t->depth;
    for (size_t i = t->depth; i-- > t->boarded_depth;)
        if (i <= least || t->frames[i].block || rt_is_handler(&t->frames[i]))
            return i + 1;
    return t->boarded_depth;
}

/* Innermost functions, in a thread of which the outer ones are emitted or boarded. False: some are
 * not boarded, or the access may be ignored. */
static inline bool board_innermost(struct rt_thread *t) {
    size_t least = rt_deepest_start(t);
    if (t->skipped || t->ignoring || t->emitted_depth <= least ||
        t->slot >= ST_STREAM_COUNTED_SLOTS)
        return false;
    while (t->boarded_depth < t->depth) {
        const struct rt_frame *frame = &t->frames[t->boarded_depth];
        if (frame->block || rt_is_handler(frame) || !board_frame(t))
            return false;
    }
    t->since = t->alone ? t->first : t->alike;
    return true;
}

bool rt_board_quickly(struct rt_thread *t) {
    if (t->inside)
        return false;
    t->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    bool done = board_innermost(t);
    atomic_signal_fence(memory_order_seq_cst);
    t->inside = false;
    return done;
}

/* The thread accesses something, where it starts: what was boarded for looks is like other calls
 * now. */
static void end_looks(struct rt_thread *t) {
    t->looks.count = 0;
    if (t->emitted_depth < t->boarded_depth)
        emit_frames_below(t, t->boarded_depth);
}

void rt_board_new_frames(struct rt_thread *t) {
    if (rt_deferring_freely && board_innermost(t))
        return;
    if (rt_is_looking_at_start(t))
        end_looks(t);
    rt_find_start(t);
    size_t from = boarding_from(t);
    if (from > t->boarded_depth)
        emit_frames_below(t, from);
    while (t->boarded_depth < t->depth && board_frame(t))
        ;
    if (t->boarded_depth < t->depth || t->skipped)
        rt_emit_new_frames(t);
    t->since = rt_since_of(t) | rt_slow_accesses;
}

bool rt_board_look(struct rt_thread *t) {
    if (!t->emitted_depth || t->ignoring || t->slot >= ST_STREAM_COUNTED_SLOTS)
        return false;
    while (t->boarded_depth < t->depth) {
        const struct rt_frame *frame = &t->frames[t->boarded_depth];
        if (frame->block || rt_is_handler(frame) || !board_frame(t))
            return false;
    }
    t->since = rt_since_of(t) | rt_slow_accesses;
    return true;
}

/* Reports say in which functions an access happened. */
static inline void note_left(struct rt_thread *t, const struct rt_frame *frame, uint64_t begun,
                             uint64_t ended, size_t depth) {
    size_t count = t->left_count;
    struct rt_left_frame *left = &t->left[count % RT_LEFT_FRAMES];
    atomic_thread_fence(memory_order_release); /* whoever sees this sees the count before it */
    left->begun = begun;
    left->ended = ended;
    left->function = frame->function;
    left->called_from = frame->called_from;
    left->outermost = t->emitted_depth >= depth;
    __atomic_store_n(&t->left_count, count + 1, __ATOMIC_RELEASE);
}

/* The thread may overwrite it meanwhile, with the one that is RT_LEFT_FRAMES later: it does so once
 * it has counted all before that, so the count says whether the copy is of one frame. */
static bool copy_left(const struct rt_thread *t, size_t number, uint32_t slot,
                      struct rt_left_frame *copy) {
    *copy = t->left[number % RT_LEFT_FRAMES];
    atomic_thread_fence(memory_order_acquire);
    size_t count = __atomic_load_n(&t->left_count, __ATOMIC_RELAXED);
    return rt_slot_of(copy->begun) == slot && number < count && count - number < RT_LEFT_FRAMES;
}

/* The number of the first one that ended after that epoch; they end one after the other. */
static size_t first_left_after(const struct rt_thread *t, size_t count, uint64_t epoch) {
    size_t low = count >= RT_LEFT_FRAMES ? count - RT_LEFT_FRAMES + 1 : 0, high = count;
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
        if (frame->outermost)
            break;
    }
    return found;
}

/* The frame was left, which was boarded and never emitted. Nothing is known of it, and what the
 * thread does next is like what it did before it. Who looks at the frames meanwhile finds it among
 * those that are open or those that were left, or both (flush_deferred.c). */
static inline void leave_boarded(struct rt_thread *t, const struct rt_frame *frame, size_t depth) {
    uint64_t begun = atomic_load_explicit(&frame->begun, memory_order_relaxed);
    uint64_t base = t->base + 1, epoch = base + t->position, alike = t->alike;
    uint64_t current = t->me | epoch << RT_EPOCH_AT;
    if (!t->alone) /* what it accessed is never emitted */
        note_left(t, frame, begun, epoch, depth);
    alike = alike == begun ? frame->alike_before : current;
    t->boarded_depth = depth;
    __atomic_store_n(&t->depth, depth, __ATOMIC_RELEASE);
    t->base = base; /* a new epoch, of which the watcher does not hear */
    t->ahead++;
    t->current = current;
    t->alike = alike;
    bool stale = t->ignoring || rt_is_looking_at_start(t);
    t->since = stale ? RT_STALE : (t->alone ? t->first : alike) | rt_slow_accesses;
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

uint64_t rt_innermost_begun(const struct rt_thread *t, uint64_t epoch) {
    size_t i = __atomic_load_n(&t->depth, __ATOMIC_ACQUIRE);
    const struct rt_frame *frames = __atomic_load_n(&t->frames, __ATOMIC_ACQUIRE);
    while (i-- > 0) {
        uint64_t begun = atomic_load_explicit(&frames[i].begun, memory_order_relaxed);
        if (begun && rt_epoch_of(begun) <= epoch)
            return rt_epoch_of(begun);
    }
    return 0;
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

static inline __attribute__((always_inline)) void
push(struct rt_thread *t, uintptr_t function, uintptr_t called_from, uintptr_t stack, bool block) {
    size_t depth = t->depth;
    struct rt_frame *place = &t->frames[depth];
    atomic_store_explicit(&place->begun, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    place->function = function;
    place->called_from = called_from;
    place->stack = stack;
    place->block = block;
    place->number = 0;
    __atomic_store_n(&t->depth, depth + 1, __ATOMIC_RELEASE);
    t->since = RT_STALE;
}

/* The same where there may be no room. */
static void push_with_room(struct rt_thread *t, uintptr_t function, uintptr_t called_from,
                           uintptr_t stack, bool block) {
    if (t->depth < t->capacity || grow_frames(t))
        push(t, function, called_from, stack, block);
    else
        rt_give_up();
}

static void leave_emitted(struct rt_thread *t, const struct rt_frame *frame) {
    t->emitted_depth = t->boarded_depth = t->depth;
    t->skipped = false;
    uint64_t passed = t->ahead;
    t->ahead = 0;
    bool looking = rt_is_looking(t);
    rt_emit(t, st_stream_what(frame->block ? ST_STREAM_END : ST_STREAM_LEAVE, 0, 0), passed);
    if (looking)
        t->looks.end = t->position;
    rt_publish(t);
    new_epoch_outside(t, frame);
}

/* A frame was left that is neither emitted nor boarded. */
static inline void leave_unseen(struct rt_thread *t) {
    if (t->boarded_depth != t->depth + t->ignoring)
        return;
    t->since = rt_since_of(t) | rt_slow_accesses;
    t->skipped = t->depth <= t->start_depth;
}

static void pop(struct rt_thread *t) {
    if (t->depth == 0)
        return; /* entered before the runtime started */
    const struct rt_frame *frame = &t->frames[t->depth - 1];
    if (t->emitted_depth < t->depth && t->boarded_depth >= t->depth) {
        leave_boarded(t, frame, t->depth - 1);
        return;
    }
    t->depth--;
    if (t->emitted_depth > t->depth) {
        leave_emitted(t, frame);
    } else {
        leave_unseen(t);
    }
}

static __attribute__((noinline)) void enter_slowly(uintptr_t function, uintptr_t called_from,
                                                   uintptr_t stack) {
    if (!rt_enter()) {
        rt_count_lost();
        return;
    }
    push_with_room(rt_self, function, called_from, stack, false);
    rt_leave();
}

/* This and its counterpart are where each call of the program comes by: so they call nothing but at
 * their end. We return to the function that was entered, and that one returns to pc. Above our
 * return address is the stack pointer of the function. */
void rt_func_entry(void *pc) {
    struct rt_thread *t = rt_self;
    uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
    if (__builtin_expect(!t || t->inside || t->depth == t->capacity, 0)) {
        enter_slowly(RT_CALLER, (uintptr_t)pc, stack);
        return;
    }
    t->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    push(t, RT_CALLER, (uintptr_t)pc, stack, false);
    atomic_signal_fence(memory_order_seq_cst);
    t->inside = false;
}

/* Blocks that the function left open end with it. */
static __attribute__((noinline)) void leave_slowly(void) {
    struct rt_thread *t = rt_self;
    if (!t || !rt_enter())
        return;
    while (t->depth && t->frames[t->depth - 1].block)
        pop(t);
    pop(t);
    rt_leave();
}

void rt_func_exit(void) {
    struct rt_thread *t = rt_self;
    if (!t || t->inside || t->emitted_depth >= t->depth || t->frames[t->depth - 1].block) {
        leave_slowly();
        return;
    }
    t->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    size_t depth = t->depth - 1;
    if (t->boarded_depth == t->depth) {
        leave_boarded(t, &t->frames[depth], depth);
    } else {
        t->depth = depth;
        leave_unseen(t);
    }
    atomic_signal_fence(memory_order_seq_cst);
    t->inside = false;
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
    push_with_room(t, text, caller, 0, true);
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
