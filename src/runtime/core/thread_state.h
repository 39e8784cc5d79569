/* What the runtime knows of a thread. Internal to the core: emit.c, cells.c, thread.c. */
#ifndef SERIATIM_RUNTIME_CORE_THREAD_STATE_H
#define SERIATIM_RUNTIME_CORE_THREAD_STATE_H

#include "runtime/core/runtime.h"

/* An open function or annotated block. */
struct rt_frame {
    uintptr_t function;    /* or, for a block, the number of its name */
    uintptr_t called_from; /* for a block, where it began */
    uintptr_t stack;       /* address of the frame on the stack; 0 for a block */
    bool block;
};

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

/* ---- slots.c ---- */

/* A new epoch: whatever this thread touches from now on counts as another access. */
void rt_new_epoch(struct rt_thread *t);

/* The same, where only late accesses make a difference: a function was left, say. Then what is told
 * of them later has the right stack and locks. */
static inline void rt_moved(struct rt_thread *t);

/* Gives a thread its place in cells, and takes it back. */
void rt_take_slot(struct rt_thread *t);
void rt_give_slot(struct rt_thread *t);

/* Slots in use, or used before, are below this. */
uint32_t rt_slot_count(void);

/* The thread that has a slot now, or NULL. */
struct rt_thread *rt_thread_in(uint32_t slot);

/* This thread has drawn a number. */
void rt_remember_draw(const struct rt_thread *t, uint64_t number);

/* Does what thread t does now come after what the slot's thread did in that epoch, by the numbers
 * that both have drawn so far? */
bool rt_is_ordered(const struct rt_thread *t, uint32_t slot, uint64_t epoch);

/* Can what the slot's thread did in that epoch no longer matter? */
static inline bool rt_is_dead(uint32_t slot, uint64_t epoch) {
    return epoch <
           atomic_load_explicit(&st_stream_dead_before(rt_head)[slot], memory_order_relaxed);
}

/* ---- cells.c ---- */

bool rt_cells_start(void); /* false: no memory for them */

/* Are accesses kept until another thread touches the same memory? */
extern bool rt_late;

static inline void rt_moved(struct rt_thread *t) {
    if (rt_late)
        rt_new_epoch(t);
}

#endif
