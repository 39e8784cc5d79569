/* What the runtime knows of a thread; the thread that runs. */
#ifndef SERIATIM_RUNTIME_CORE_THREAD_STATE_H
#define SERIATIM_RUNTIME_CORE_THREAD_STATE_H

#include "runtime/core/runtime.h"

/* A read of memory that several threads read. */
struct rt_shared_read {
    uint64_t key;  /* what was read (cells.h); 0: nothing */
    uint64_t mine; /* a word like that for reads, of this thread */
};

/* So many that a table of a megabyte, read again and again, stays in. Unused pages cost
 * nothing. */
enum {
    RT_SHARED_READS = 1 << 17,
    RT_READS_A_PAGE = 4096 / sizeof(struct rt_shared_read),
    RT_KEY_HASH_BITS = 20,
    RT_SLOTS = ST_STREAM_SLOTS
};

struct rt_thread {
    uint64_t owner;   /* as cells have it (cells.h), or RT_STALE */
    uint64_t current; /* the same, when nothing is untold */
    uint64_t me;      /* the same without an epoch; UINT64_MAX: no slot was free */
    uint64_t base;    /* epochs of this thread start here: those before were of others */
    uint64_t first;   /* no word of this thread is smaller */
    uint32_t slot;
    uint32_t serial;
    bool inside; /* the runtime is at work; a signal handler must not disturb it */

    struct st_stream_chunk *chunk;
    uint32_t used; /* records in the chunk, published or not */
    uint32_t sequence;
    uint64_t position;    /* records told */
    uint64_t number;      /* the last one drawn or observed */
    uint64_t pending;     /* drawn for the next record; 0: none */
    uint64_t told_number; /* the last one that was told */

    struct rt_frame *frames;
    size_t depth, capacity;
    size_t told; /* that many of them, the outermost, were told: a function that does nothing that
                  * counts is never told */
    struct rt_thread *next; /* in the list of those that are free */
    uint64_t shared_pages[RT_SHARED_READS / RT_READS_A_PAGE / 64]; /* a bit for each page in use */
    struct rt_shared_read shared[RT_SHARED_READS];
    uint32_t shared_callers[RT_SHARED_READS]; /* lower halves of return addresses */
};

/* NULL: not watched. */
extern _Thread_local struct rt_thread *rt_self __attribute__((tls_model("initial-exec")));

/* Is this thread being watched, and not inside the runtime already (a signal handler that came in
 * between)? If so, rt_leave must follow. */
bool rt_enter(void);
void rt_leave(void);

/* The new thread begins: nothing of it is told before. `fork` is what rt_thread_fork gave, or
 * RT_NO_THREAD for a thread that nobody saw being created. Not between rt_enter and rt_leave. */
void rt_thread_start(uint32_t fork);
#define RT_NO_THREAD UINT32_MAX

/* The thread ends; nothing of it is told any more. Not between rt_enter and rt_leave. */
void rt_thread_end(void);

uint32_t rt_new_serial(void);

/* In a child process after fork(): nothing is told from here on. */
void rt_stop_in_child(void);

#endif
