/* How deep in its stack lies what a thread starts with, or work of its own in it.
 *
 * The watcher takes the turns of its loops from the calls that it makes (watch/start_blocks.c), so
 * these are emitted. So are the functions of libraries below it, and itself. What lies above is
 * boarded. Which of the open functions it is, the watcher knows once it has heard of each, and says
 * so in shared memory. Until then it may be one of the outermost few. To take one that is too deep
 * for it is never wrong: more is emitted than need be. */
#include "runtime/core/call_stack.h"
#include "runtime/core/loaded_modules.h"
#include "runtime/core/runtime.h"

enum { DEEPEST = 8, LONGEST_PROLOGUE = 128 };

/* If nothing is known. In C++ a few functions of the library are below it, in C none are. */
static size_t deepest_start(const struct rt_thread *t) {
    if (!t->serial)
        return 0; /* main, which is no such function */
    return t->depth && t->frames[0].function - t->start < LONGEST_PROLOGUE ? 1 : DEEPEST;
}

/* Where a module was unloaded, another function may have the address by now. */
static enum st_stream_start kind_of(const struct rt_frame *frame) {
    if (frame->block || rt_is_handler(frame) || rt_has_unloaded)
        return ST_START_UNKNOWN;
    return st_stream_start_of(rt_head, frame->function);
}

static size_t start_depth(const struct rt_thread *t) {
    size_t most = deepest_start(t), i;
    for (i = 0; i < t->depth && i < most; i++) {
        enum st_stream_start kind = kind_of(&t->frames[i]);
        if (kind == ST_START_TURNS)
            return i + 1;
        if (kind == ST_START_WHOLE || (kind == ST_START_HANDS_ON && i == 0))
            return i;
        if (kind != ST_START_LIBRARY && kind != ST_START_HANDS_ON)
            return most;
    }
    return i;
}

/* What works on its own has no turns. */
static size_t work_depth(const struct rt_thread *t) {
    size_t most = t->work_base + DEEPEST, i;
    for (i = t->work_base; i < t->depth && i < most; i++) {
        enum st_stream_start kind = kind_of(&t->frames[i]);
        if (kind != ST_START_LIBRARY)
            return kind == ST_START_UNKNOWN ? most : i;
    }
    return i;
}

/* A controlled run must not depend on when the watcher has heard of what. */
static bool may_ask(void) {
    return rt_deferring && !rt_controlled;
}

void rt_find_start(struct rt_thread *t) {
    if (t->emitted_depth > (may_ask() ? rt_deepest_start(t) : 0))
        return; /* it is open, and known */
    if (!may_ask())
        t->start_depth = deepest_start(t);
    else if (t->pauses)
        t->work_depth = work_depth(t);
    else
        t->start_depth = start_depth(t);
}

/* All that is open is emitted. What the thread starts with is there, or not there now. */
void rt_begin_work(struct rt_thread *t) {
    t->work_base = t->depth;
    t->work_depth = t->depth + DEEPEST;
    if (may_ask() && t->start_depth > t->depth)
        t->start_depth = t->depth;
}

void rt_end_work(struct rt_thread *t) {
    t->work_depth = 0;
    if (may_ask())
        t->start_depth = deepest_start(t);
}
