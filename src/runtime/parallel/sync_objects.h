/* Objects of the runtime's own that stand for channels: a team, a task, a group of tasks.
 *
 * They are used again. What was sent on a channel of an object must not seem to happen before what
 * is received on it in its next life, unless it does anyway: so an object has a thread that comes
 * after all that was sent, and only that thread may use it again as it is. In another's hands its
 * memory is freed first, as an event.
 *
 * For use between rt_enter and rt_leave only. */
#ifndef SERIATIM_RUNTIME_PARALLEL_SYNC_OBJECTS_H
#define SERIATIM_RUNTIME_PARALLEL_SYNC_OBJECTS_H

#include <stdatomic.h>
#include <stdint.h>

/* The head of an object. */
struct rt_object {
    struct rt_object *next;      /* among those that are free; its owner's otherwise */
    uint32_t thread;             /* 1 + the serial number of that thread; 0: none */
    _Atomic uint32_t references; /* its owner's: 1 at first */
};

/* Objects are aligned to 64 bytes. */
enum { RT_OBJECT_BYTES = 256 };

/* The rest of it is zero. NULL: no memory. */
void *rt_object_take(void);
void rt_object_release(struct rt_object *object, uint32_t thread);

#endif
