/* What is known of a reader-writer lock or a semaphore. */
#ifndef SERIATIM_WATCH_SHARED_LOCKS_H
#define SERIATIM_WATCH_SHARED_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Channels, as far as it has them: a reader-writer lock has `write` and `read`, a semaphore has
 * `signal`, and `whole` if it may be a lock. */
struct st_shared_lock {
    uint32_t write, read, whole, signal;
    bool may_be_lock;
    bool signals; /* a semaphore that counts as a signal */
};

#endif
