#define _GNU_SOURCE
#include "runtime/core/call_stack.h"
#include "runtime/core/shadow.h"
#include "runtime/core/stream_writer.h"
#include "runtime/core/system_call.h"
#include "runtime/core/thread_slot.h"

#include <sys/syscall.h>

static void emit_frame(struct rt_thread *t, const struct rt_frame *frame) {
    enum st_stream_op op = frame->block ? ST_STREAM_BEGIN : ST_STREAM_ENTER;
    unsigned aux = 0;
    if (!frame->block && frame->called_from && frame->called_from == rt_signal_return)
        aux |= ST_STREAM_HANDLER;
    if (!frame->block && t->skipped)
        aux |= ST_STREAM_AFTER_SKIPPED;
    t->skipped = false;
    rt_emit(t, st_stream_what(op, aux, frame->called_from), frame->function);
}

/* How deep what the thread starts with can be in the stack. In C++ a few functions of the library
 * are below it. The program starts with main, which is not what is meant here. */
static size_t start_depth(const struct rt_thread *t) {
    enum { DEEPEST_START = 8, LONGEST_PROLOGUE = 128 };
    if (!t->serial)
        return 0;
    return t->frames[0].function - t->start < LONGEST_PROLOGUE ? 1 : DEEPEST_START;
}

void rt_emit_new_frames(struct rt_thread *t) {
    if (t->emitted_depth == t->depth) { /* so there is something that was skipped */
        t->skipped = false;
        rt_emit(t, st_stream_what(ST_STREAM_SKIPPED, 0, 0), 0);
        rt_publish(t);
        return;
    }
    if (!t->emitted_depth)
        t->start_depth = start_depth(t);
    while (t->emitted_depth < t->depth) {
        struct rt_frame *frame = &t->frames[t->emitted_depth++];
        emit_frame(t, frame);
        frame->alike_before = t->alike;
        rt_new_epoch(t);
        frame->begun = t->alike;
    }
    rt_publish(t);
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
    bool alike = t->alike == frame->begun && rt_deferring && t->depth > t->start_depth;
    rt_new_deferred_epoch(t);
    if (alike) {
        t->alike = frame->alike_before;
        t->since = rt_since_of(t) | rt_slow_accesses;
    }
}

uint64_t rt_last_alike(const struct rt_thread *t, uint64_t epoch) {
    enum { FRAMES_TO_TRY = 32 };
    if (epoch >= rt_epoch_of(t->alike))
        return rt_epoch_of(t->current);
    for (size_t i = t->emitted_depth, n = 0; i-- > 0 && n < FRAMES_TO_TRY; n++) {
        const struct rt_frame *frame = &t->frames[i];
        if (epoch >= rt_epoch_of(frame->begun))
            break;
        if (epoch >= rt_epoch_of(frame->alike_before))
            return rt_epoch_of(frame->begun) - 1;
    }
    return epoch;
}

static bool grow_frames(struct rt_thread *t) {
    size_t capacity = t->capacity ? 2 * t->capacity : 512;
    struct rt_frame *frames = rt_map_memory(capacity * sizeof *frames);
    if (!frames)
        return false;
    if (t->frames) {
        for (size_t i = 0; i < t->depth; i++)
            frames[i] = t->frames[i];
        rt_system_call(SYS_munmap, (long)t->frames, (long)(t->capacity * sizeof *frames), 0, 0, 0,
                       0);
    }
    t->frames = frames;
    t->capacity = capacity;
    return true;
}

static void push(struct rt_thread *t, struct rt_frame frame) {
    if (__builtin_expect(t->depth == t->capacity, 0) && !grow_frames(t)) {
        rt_give_up();
        return;
    }
    t->frames[t->depth++] = frame;
    t->since = RT_STALE;
}

static void pop(struct rt_thread *t) {
    if (t->depth == 0)
        return; /* entered before the runtime started */
    const struct rt_frame *frame = &t->frames[--t->depth];
    if (t->emitted_depth > t->depth) {
        t->emitted_depth = t->depth;
        t->skipped = false;
        rt_emit(t, st_stream_what(frame->block ? ST_STREAM_END : ST_STREAM_LEAVE, 0, 0), 0);
        rt_publish(t);
        new_epoch_outside(t, frame);
    } else if (t->emitted_depth == t->depth + t->ignoring) {
        t->since = t->alike | rt_slow_accesses;
        t->skipped = t->depth <= t->start_depth;
    }
}

void rt_function_enter(uintptr_t function, uintptr_t called_from, uintptr_t frame) {
    push(rt_self,
         (struct rt_frame){.function = function, .called_from = called_from, .stack = frame});
}

/* Blocks that the function left open end with it. */
void rt_function_leave(void) {
    struct rt_thread *t = rt_self;
    while (t->depth && t->frames[t->depth - 1].block)
        pop(t);
    pop(t);
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
    push(t, (struct rt_frame){.function = text, .called_from = caller, .block = true});
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
