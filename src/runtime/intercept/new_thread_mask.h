/* The signals of a thread that is being created: all are blocked until it is known (threads.c). */
#ifndef SERIATIM_RUNTIME_INTERCEPT_NEW_THREAD_MASK_H
#define SERIATIM_RUNTIME_INTERCEPT_NEW_THREAD_MASK_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* What the creator has to undo. */
struct rt_blocked {
    sigset_t before;
    pthread_attr_t attr; /* if it is a copy */
    bool copied;
};

/* A new thread has the mask of its creator, or one that its attributes ask for (NULL: the default
 * ones). Blocks all signals in the creator, writes to `mask` which ones the new thread should
 * block, and returns the attributes to create it with. */
const pthread_attr_t *rt_block_signals(struct rt_blocked *blocked, const pthread_attr_t *attr,
                                       sigset_t *mask);
void rt_unblock_signals(struct rt_blocked *blocked);

#endif
