/* What the runtime knows of a thread. Internal to the core: emit.c, cells.c, thread.c. */
#ifndef SERIATIM_RUNTIME_THREAD_H
#define SERIATIM_RUNTIME_THREAD_H

#include "runtime/runtime.h"

/* An open function or annotated block. */
struct rt_frame {
    uintptr_t function;    /* or, for a block, the number of its name */
    uintptr_t called_from; /* for a block, where it began */
    uintptr_t stack;       /* address of the frame on the stack; 0 for a block */
    bool block;
};

/* A read of memory that several threads read: nothing to tell as long as nobody wrote since. */
struct rt_shared_read {
    uintptr_t granule;
    uint64_t cell;
    uint64_t
        owner; /* of the thread, when it told the read; in its lower bits which bytes it read */
};

/* So many that a table of half a megabyte, read again and again, is told once. A look into this
 * memory costs less than a record and what the watcher does with it; unused pages cost nothing. */
enum { RT_SHARED_READS = 1 << 16, RT_SLOTS = 1 << 14 };

struct rt_thread {
    uint64_t owner; /* epoch and slot as a cell has them, see cells.h */
    uint32_t slot;  /* RT_SLOTS and more: none was free, and no cell is ever its own */
    uint32_t serial;
    bool inside; /* the runtime is at work; a signal handler must not disturb it */

    struct st_stream_chunk *chunk;
    uint32_t used; /* records in the chunk, published or not */
    uint32_t sequence;
    uint64_t number; /* the last one drawn or observed */

    struct rt_frame *frames;
    size_t depth, capacity;
    size_t told; /* that many of them, the outermost, were told: a function that does nothing that
                  * counts is never told */
    struct rt_thread *next; /* in the list of those that are free */
    struct rt_shared_read shared[RT_SHARED_READS];
};

/* NULL: not watched. */
extern _Thread_local struct rt_thread *rt_self __attribute__((tls_model("initial-exec")));

/* The stream, or NULL: nobody is listening. */
extern struct st_stream_head *rt_head;

/* Where libgcc_s is, which synchronises when a thread is unwound; empty until it is loaded. */
struct rt_range {
    uintptr_t start, length;
};
extern struct rt_range rt_unwinder;

/* ---- emit.c ---- */

/* Puts one record; rt_publish makes it visible. */
void rt_put(struct rt_thread *t, uint64_t what, uint64_t argument);
void rt_publish(struct rt_thread *t);

/* Tells what is open and was not told; to be called before an event is put. */
void rt_tell_frames(struct rt_thread *t);

/* The next record put has a new number. */
uint64_t rt_draw(struct rt_thread *t);

/* What follows happens after that number. */
void rt_observe(struct rt_thread *t, uint64_t number);

/* Gives up: nothing is told any more by anybody. */
void rt_give_up(void);

void rt_tell_module(const char *path, uintptr_t start, uintptr_t length, uintptr_t bias);
uint32_t rt_new_serial(void);

void *rt_map_memory(size_t bytes); /* zeroed, or NULL */

/* ---- cells.c ---- */

bool rt_cells_start(void); /* false: no memory for them */

/* A new epoch: whatever this thread touches from now on has to be told again. */
void rt_new_epoch(struct rt_thread *t);

/* Gives a thread its place in cells, and takes it back. */
void rt_take_slot(struct rt_thread *t);
void rt_give_slot(struct rt_thread *t);

#endif
