/* What the runtime knows about a thread, and which thread is running. */
#ifndef SERIATIM_RUNTIME_CORE_THREAD_STATE_H
#define SERIATIM_RUNTIME_CORE_THREAD_STATE_H

#include "runtime/core/runtime.h"

/* A read of memory that several threads read (shadow.h). */
struct rt_shared_read {
    uint64_t key;  /* what was read; 0: nothing */
    uint64_t mine; /* a shadow word for reads, of this thread */
};

/* A table of a megabyte that is read again and again fits. Unused pages cost nothing. */
enum {
    RT_SHARED_READS = 1 << 17,
    RT_READS_A_PAGE = 4096 / sizeof(struct rt_shared_read),
    RT_KEY_HASH_BITS = 20,
    RT_LEARNED = 64,
    RT_SLOTS = ST_STREAM_SLOTS,
    RT_LEFT_FRAMES = 512,
    RT_LOOKS = 8,
    RT_HELD_LOCKS = 16,
    RT_SECTIONS = 512,
};

/* A frame that was boarded and left. */
struct rt_left_frame {
    uint64_t begun; /* as in struct rt_frame */
    uint64_t ended; /* the first epoch after it */
    uint64_t function, called_from;
    bool outermost; /* when it ended, all frames around it were emitted */
};

/* A critical section of which the watcher need not hear (deferred/lock_notes.c). */
struct rt_section {
    _Atomic uint64_t begun; /* its first epoch, as a shadow word; 0: none */
    uint64_t ended;         /* of one that is over: the first epoch after it */
    uintptr_t lock, caller;
    uint64_t path;        /* a hash of where the functions around it were called from */
    uint64_t frame_begun; /* `begun` of the innermost frame when it began, */
    uint32_t depth;       /* and how many were open */
    uint16_t kind;        /* enum st_stream_lock */
    bool last;            /* when it ended, no other lock was held */
};

/* What a thread depends on of another one (deferred/learned.h). */
struct rt_learned {
    uint64_t first; /* of the other one, as in struct rt_thread */
    uint64_t last;  /* a shadow word of it, without bytes and flags: up to that epoch */
};

/* A look (tsan/looks.h): where at, from where, and in which call. */
struct rt_look {
    uintptr_t address, caller, function, called_from, start;
    size_t depth;
};

/* A thread, or a fiber (fibers.h). */
struct rt_thread {
    /* As shadow words (shadow.h). */
    uint64_t me;      /* without an epoch; UINT64_MAX: no slot was free */
    uint64_t current; /* with the present one; or RT_STALE: no slot was free */
    uint64_t alike;   /* epochs from this one on are like the present one (call_stack.h) */
    uint64_t since;   /* the same; but RT_STALE while open frames are not emitted, or accesses are
                       * ignored, and in controlled runs: then every access takes the slow way */
    uint64_t stretch; /* the thread has only read memory, not atomically, since this epoch began */
    uint64_t first;   /* no shadow word of this thread is smaller */
    uint64_t base;    /* the present epoch is this plus `position` */
    uint64_t ahead;   /* so many epochs have passed of which the watcher has not heard: for it,
                       * `base` is smaller by that */
    uint32_t slot;
    uint32_t serial;
    uint32_t generation; /* of the process that it belongs to: a forked one has no use for it */
    bool inside;         /* the runtime is at work; a signal handler must not disturb it */
    bool alone;          /* the first thread, and there is no other yet (rt_alone_before) */

    struct st_stream_chunk *chunk;
    uint32_t used;             /* records in the chunk, published or not */
    uint32_t chunks;           /* chunks taken so far */
    uint64_t position;         /* records emitted */
    uint64_t sequence;         /* the last sequence number taken or observed */
    uint64_t pending_sequence; /* taken for the next record; 0: none */
    uint64_t emitted_sequence; /* the last one in a record */

    uintptr_t loaded;   /* what it last loaded atomically, */
    uint64_t loaded_at; /* and `position` after that */

    uintptr_t allocated; /* what it last allocated */
    size_t allocated_size;
    struct {
        size_t depth, size;
    } wanted[4]; /* how much open functions that hand out memory are to hand out */
    size_t wanted_count;

    uintptr_t start; /* what it starts with, as far as that is known */
    struct rt_frame *frames;
    size_t depth, capacity; /* other threads look at frames, depth and emitted_depth */
    size_t start_depth;     /* what it starts with is among so many frames, the outermost */
    bool skipped; /* what the innermost frame has called since its last event was never emitted */
    size_t emitted_depth; /* so many frames, the outermost, are emitted: a function in which nothing
                           * of interest happens never is */
    size_t
        boarded_depth; /* so many are emitted or boarded (call_stack.h); at least emitted_depth */
    size_t pauses;     /* that are open */
    size_t work_base;  /* frames from this index on are work of its own, if a pause is open */
    size_t work_depth; /* frames up to this index may be what that starts with */
    /* The program asked not to see its accesses or its synchronisation: how often (rt_is_ignored).
     */
    uint16_t ignored_reads, ignored_writes, ignored_sync;
    size_t ignoring;                           /* 1: reads or writes; or 0 */
    struct rt_thread *next;                    /* in the list of free ones */
    struct rt_learned learned[RT_LEARNED];     /* by slot, modulo their number */
    struct rt_left_frame left[RT_LEFT_FRAMES]; /* a ring (call_stack.h) */
    size_t left_count;                         /* of all that were added */
    struct rt_section held[RT_HELD_LOCKS];     /* the one that was taken first comes first */
    size_t held_count;
    bool holds_changed; /* perhaps it holds other locks than it has emitted, which are ... */
    struct {
        uintptr_t lock, caller;
        uint64_t path;
    } emitted_locks[RT_HELD_LOCKS];
    size_t emitted_lock_count;
    uint32_t emitted_under;                  /* rt_module_changes then */
    struct rt_section sections[RT_SECTIONS]; /* that are over: a ring */
    size_t section_count;                    /* of all that were added */
    struct {
        struct rt_look list[RT_LOOKS]; /* a ring */
        size_t count;                  /* of all that were added */
        size_t last;                   /* the place in the ring of the latest look */
        uint64_t since;                /* the epoch behind the first one of them */
        uint64_t end;                  /* `position` after the last one, and after its call */
    } looks;
    uint64_t shared_pages[RT_SHARED_READS / RT_READS_A_PAGE / 64]; /* a bit for each page in use */
    struct rt_shared_read shared[RT_SHARED_READS];
    uint64_t shared_details[RT_SHARED_READS]; /* as in the shadow */
};

/* Has the thread emitted nothing since but looks (tsan/looks.h), and the functions around them? */
static inline bool rt_is_looking(const struct rt_thread *t) {
    return t->looks.count && t->looks.end == t->position;
}

/* The same, in what the thread starts with or what that calls: then it must not access anything. */
static inline bool rt_is_looking_at_start(const struct rt_thread *t) {
    return t->emitted_depth <= t->start_depth && rt_is_looking(t);
}

/* NULL: not watched. */
extern RT_HIDDEN _Thread_local struct rt_thread *rt_self __attribute__((tls_model("initial-exec")));

/* Is this thread watched, and not inside the runtime already (a signal handler that interrupted
 * it)? If so, rt_leave must follow. */
bool rt_enter(void);
void rt_leave(void);

/* The same, for where most accesses and calls come by. */
static inline bool rt_enter_quickly(void) {
    struct rt_thread *t = rt_self;
    if (__builtin_expect(!t || t->inside, 0))
        return rt_enter();
    t->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}
static inline void rt_leave_quickly(void) {
    atomic_signal_fence(memory_order_seq_cst);
    rt_self->inside = false;
}

/* The new thread begins; it emits nothing before. `fork` is the result of rt_thread_fork, or
 * RT_NO_THREAD for a thread whose creation nobody saw. Not between rt_enter and rt_leave. */
void rt_thread_start(uint32_t fork);
#define RT_NO_THREAD UINT32_MAX

/* The thread starts with this function, or with one that this calls. */
void rt_thread_starts_with(uintptr_t function);

/* The thread ends, and emits nothing more. Not between rt_enter and rt_leave. */
void rt_thread_end(void);

/* A function of the program was entered, and rt_enter said no. If that is because the thread has
 * ended, its events are lost, and counted here: destructors in the last round, handlers of signals
 * that came after, and what runs at exit when the last thread to end is not the first one. */
void rt_count_lost(void);

/* Does the program want this access not to be seen (tsan/ignoring.h)? The fast ways of an access do
 * not ask: while something is ignored, `since` is RT_STALE, so that no access is found to be a
 * repetition or can be deferred. */
static inline bool rt_is_ignored(const struct rt_thread *t, bool read, bool write) {
    return t->ignoring && (!read || t->ignored_reads) && (!write || t->ignored_writes);
}

/* Makes sure that the calling thread calls rt_thread_end, however it ends, process exit aside. For
 * a thread whose creation nobody saw; the others do it anyway (intercept/threads.c). */
void rt_thread_will_end(void);

uint32_t rt_new_serial(void);

/* Of this thread in a process that was forked: it is not watched any more, or can be again. */
void rt_thread_stop(void);
void rt_threads_reset(void);

/* Of this thread. For use between rt_enter and rt_leave only. */
uint32_t rt_thread_serial(void);

#endif
