/* The functions and annotated blocks that a thread has open. */
#ifndef SERIATIM_RUNTIME_CORE_CALL_STACK_H
#define SERIATIM_RUNTIME_CORE_CALL_STACK_H

#include "runtime/core/thread_state.h"

/* An open function or annotated block. */
struct rt_frame {
    uintptr_t function;    /* or, for a block, the number of its name */
    uintptr_t called_from; /* for a block, where it began */
    uintptr_t stack;       /* address of the frame on the stack; 0 for a block */
    bool block;
};

void rt_tell_new_frames(struct rt_thread *t);

/* Tells what is open and was not told; to be called before an event is put. */
static inline void rt_tell_frames(struct rt_thread *t) {
    if (t->told != t->depth)
        rt_tell_new_frames(t);
}

void rt_function_enter(uintptr_t function, uintptr_t called_from, uintptr_t frame);
void rt_function_leave(void);
void rt_block_begin(const char *name, uintptr_t caller);
void rt_block_end(void);

/* Leaves all functions and blocks but so many, the outermost. */
void rt_unwind(size_t depth);
/* Leaves all functions whose frame is below that stack pointer. */
void rt_unwind_to_stack(uintptr_t stack);

#endif
