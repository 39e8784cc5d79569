/* The functions and annotated blocks that a thread has open.
 *
 * They are emitted when the first event in them is, so that functions in which nothing of interest
 * happens cost the watcher nothing.
 *
 * Boarding. A function in which the thread has made deferred accesses, and nothing else, is not
 * emitted either. It gets an epoch (stream.h), so that it will be known which accesses are its own
 * if it is emitted later, by this thread, which comes to something that has to be emitted, or by
 * another one, which touches memory that was accessed in it. If it is left before that, it is left
 * out: it depends on nothing new of other threads, so it cannot be found violated, and its
 * accesses count as those of its caller. Annotated blocks and handlers of signals are not boarded,
 * nor is what a thread starts with or calls there, since the watcher divides that into turns.
 *
 * Other threads read the frames of this one (flush_deferred.c) while it goes on. `begun` guards the
 * rest of a frame: it is set last when the frame is boarded and cleared first when its place gets
 * another one, and no two frames have the same. The depth is set after the frame is written.
 *
 * Epochs that are alike. It makes a difference in which of two epochs a deferred access happened
 * only if in between the thread emitted something by which it can have learned of others or let
 * others learn, or entered what is still open. A function that was entered and left in between
 * makes none: it has no event that depends on others, so it will never be found violated. So
 * `alike` is what it was before, once a function was left in which nothing else was emitted.
 * Functions that what the thread starts with has called are an exception: the watcher divides the
 * loops of that into turns, by such calls (watch/start_blocks.c). */
#ifndef SERIATIM_RUNTIME_CORE_CALL_STACK_H
#define SERIATIM_RUNTIME_CORE_CALL_STACK_H

#include "runtime/core/shadow.h"

/* An open function or annotated block. */
struct rt_frame {
    uintptr_t function;    /* for a block: the id of its name */
    uintptr_t called_from; /* for a block: where it began */
    uintptr_t stack;       /* address of the frame on the stack; 0 for a block */
    bool block;
    uint32_t number; /* given by control/, to tell blocks apart; 0: none yet */
    /* Of a frame that is emitted or boarded: its first epoch, and what `alike` was before it. Both
     * are shadow words; `begun` of another frame is 0. */
    _Atomic uint64_t begun;
    uint64_t alike_before;
};

static inline bool rt_is_handler(const struct rt_frame *frame) {
    return !frame->block && frame->called_from && frame->called_from == rt_signal_return;
}

/* ---- deferred/start_depth.c ---- */

/* Frames up to `start_depth` and up to `work_depth` must be emitted before others are boarded. That
 * changes with what is open, and with what the watcher knows. */
void rt_find_start(struct rt_thread *t);
/* A pause begins; the last one has ended. */
void rt_begin_work(struct rt_thread *t);
void rt_end_work(struct rt_thread *t);

static inline size_t rt_deepest_start(const struct rt_thread *t) {
    return t->start_depth > t->work_depth ? t->start_depth : t->work_depth;
}

/* ---- deferred/lock_notes.c ---- */

/* After a lock was acquired. False: it has to be emitted as an event. */
bool rt_hold(struct rt_thread *t, const volatile void *lock, enum st_stream_lock kind,
             uintptr_t caller);

/* Before it is released. False: nothing is noted of it, so that has to be emitted. */
bool rt_let_go(struct rt_thread *t, const volatile void *lock, enum st_stream_lock kind,
               uintptr_t caller);

/* Emits which locks the thread holds now; that it holds none. */
void rt_emit_holds(struct rt_thread *t);
void rt_emit_no_locks(struct rt_thread *t);
/* Those that it held in that epoch of its own. What this returns goes into an ST_STREAM_ENTER
 * behind it. */
unsigned rt_emit_holds_at(struct rt_thread *t, uint64_t epoch);

/* Those that the slot's thread, this one or another, held in that epoch: for the deferred access
 * that is emitted next. */
void rt_emit_held(struct rt_thread *t, uint32_t slot, uint64_t epoch);

/* ---- call_stack.c ---- */

void rt_emit_new_frames(struct rt_thread *t);
void rt_board_new_frames(struct rt_thread *t);

/* Emits the frames that are open and not emitted yet, whether calls were skipped, and which locks
 * are held. To be called before an event is emitted. */
static inline void rt_emit_frames(struct rt_thread *t) {
    if (t->emitted_depth != t->depth || t->skipped)
        rt_emit_new_frames(t);
    if (__builtin_expect(t->holds_changed, 0))
        rt_emit_holds(t);
}

/* Boards them instead, as far as that may be done. To be called before an access that may be
 * deferred. */
static inline void rt_board_frames(struct rt_thread *t) {
    if (t->boarded_depth != t->depth || t->skipped || rt_is_looking_at_start(t))
        rt_board_new_frames(t);
}

/* The same for the most common case, in a run that defers and is not controlled, and not between
 * rt_enter and rt_leave. False: some frames are not boarded, or the access may be ignored. */
bool rt_board_quickly(struct rt_thread *t);

/* Boards all of them for a look (tsan/looks.h), also what a thread starts with calls: nothing
 * happens there, so it makes no difference in which turn of a loop that is. False: some are not
 * boarded. */
bool rt_board_look(struct rt_thread *t);

/* Emits the frames that are boarded, and how many epochs have passed. `ahead` is 0 then. */
void rt_emit_boarded(struct rt_thread *t);

/* Emits those of them that had begun by that epoch of the thread. */
void rt_emit_boarded_by(struct rt_thread *t, uint64_t epoch);

/* Frames of a thread, this one or the one that has the slot, that were boarded and left, and in
 * which it was in that epoch: copies them, the innermost first, and returns how many. Those of long
 * ago are forgotten. */
enum { RT_MOST_WITHIN = 16 };
size_t rt_frames_left(const struct rt_thread *t, uint32_t slot, uint64_t epoch,
                      struct rt_left_frame *frames);
/* When the innermost of the functions began that a thread, this one or another, has open and was in
 * at that epoch; 0: there is none. */
uint64_t rt_innermost_begun(const struct rt_thread *t, uint64_t epoch);

/* Emits where the frames of open functions are on the stack (ST_STREAM_FRAME). */
void rt_emit_stack(struct rt_thread *t);

/* Was an annotated block ever begun? */
extern _Atomic bool rt_has_blocks;

/* The last epoch of this thread that is like this one, as far as that is known. Only the outermost
 * of the frames that began later can say that it is like others: what was `alike` before those in
 * it is not before it began. Mostly that is the innermost frame, which was entered since. */
uint64_t rt_find_last_alike(const struct rt_thread *t, uint64_t epoch);
static inline uint64_t rt_last_alike(const struct rt_thread *t, uint64_t epoch) {
    if (epoch >= rt_epoch_of(t->alike))
        return rt_epoch_of(t->current);
    if (!t->boarded_depth)
        return epoch;
    const struct rt_frame *inner = &t->frames[t->boarded_depth - 1];
    uint64_t begun = rt_epoch_of(atomic_load_explicit(&inner->begun, memory_order_relaxed));
    if (begun <= epoch)
        return epoch;
    return epoch >= rt_epoch_of(inner->alike_before) ? begun - 1 : rt_find_last_alike(t, epoch);
}

/* What the compiler's callbacks for calls do (tsan/handing_out.c). */
void rt_func_entry(void *pc);
void rt_func_exit(void);

/* The rest is for use between rt_enter and rt_leave. */
void rt_block_begin(const char *name, uintptr_t caller);
void rt_block_end(void);

/* Leaves all functions and blocks but the outermost `depth`. */
void rt_unwind(size_t depth);
/* Control leaves functions without their exit callback: those between the frame with that stack
 * pointer, which stays, and the one with the stack pointer `from`. A handler of a signal may run on
 * a stack of its own, above or below that of the thread. */
void rt_unwind_to_stack(uintptr_t stack, uintptr_t from);

#endif
