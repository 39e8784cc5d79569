/* The threads of a controlled run, as data. What other folders may call is in the first part of the
 * headers beside this one, points.h first; the rest of them is for this folder alone. */
#ifndef SERIATIM_RUNTIME_CONTROL_RUNNER_H
#define SERIATIM_RUNTIME_CONTROL_RUNNER_H

#include "runtime/control/code_places.h"
#include "runtime/core/runtime.h"
#include "runtime/core/spin.h"
#include "stream/control.h"

#define RT_FOREVER UINT64_MAX

/* How waiting ended. */
enum rt_woken {
    RT_WOKEN,     /* it is worth another try */
    RT_TIMED_OUT, /* the deadline has passed */
    RT_INTERRUPTED
};

/* Reads and attempts in a row that changed nothing (spinning.c). */
enum { RT_SPIN_ENTRIES = 16 };
struct rt_spinning {
    struct {
        uintptr_t caller, object;
        uint32_t times, stamp;
    } entries[RT_SPIN_ENTRIES];
    uint32_t stamp; /* entries with another one are empty */
    uint32_t patience;
    uint32_t quiet; /* reads in a row */
};

/* Invariants: a runner is in the list of those who can go on exactly while its state is READY, and
 * in the bucket of `blocked_on` while it is BLOCKED or WAITING. Only who has the baton, or the lock
 * of the baton, changes any of it. */
struct rt_runner {
    _Atomic uint32_t go;  /* 1: it has the baton */
    _Atomic bool running; /* and knows it */
    uint32_t index;
    int tid;          /* 0: not begun yet */
    uintptr_t thread; /* a pthread_t */

    /* Signals (signals.c). */
    uint64_t mask;           /* as the program has set it */
    uint64_t due;            /* to be handled as soon as it goes on */
    uint64_t sent;           /* by threads of the program to this one, which blocks them */
    bool handling;           /* a handler runs */
    uint64_t handlers;       /* so often some have */
    uintptr_t handler_frame; /* the frame below which it does */
    uint64_t name, parent;
    uint32_t child, children;
    struct rt_runner *next_live, **place_live;

    /* The pending operation. */
    enum st_control_thread_state state;
    enum st_control_kind kind;
    uintptr_t object;
    size_t size;
    const struct rt_place *place;

    uintptr_t blocked_on;
    int owner;
    uint64_t deadline; /* RT_FOREVER: none */
    uint64_t began;    /* a ticket */
    uint64_t ticket;   /* when it began to wait, or yielded */
    bool queued;       /* it waits to be woken in particular */
    bool woken, timed_out, interrupted;
    bool restarts; /* what interrupted it lets calls go on (SA_RESTART) */
    struct rt_runner *next_blocked;
    const struct rt_awaited *awaited; /* outside; NULL: nothing, or it is in a call there */
    bool there_before;                /* it was there before somebody wrote */
    struct rt_runner *next_outside;
    uint32_t timed_at; /* where it is among those with a deadline; 0: nowhere */

    bool busy;        /* at a point: handlers of signals have no points there */
    bool patient;     /* it waits for the kernel, and not for long: for the end of a thread, say */
    bool loose;       /* the baton was taken from it, as it waited where we cannot see it */
    bool yielding;    /* others first */
    bool last;        /* only when nobody else can: it wants to exit */
    bool exits_first; /* although others can go on; then it is not the last one */

    uint64_t clock, points;
    uint64_t since;      /* its clock when it got the baton */
    uint64_t calm_until; /* before this clock, an access need not look at the plan; 0: not known */
    /* So often it blocked, woke others, and was the last to go on when something came from outside,
     * at this clock. */
    uint32_t blocks, wakes, arrivals, signals;
    uint64_t clock_reads; /* in a row, without waiting */
    struct rt_spinning spin;
    uint32_t *counts; /* of events, by the id of their place */

    /* The block that it is in. */
    uint32_t block, root_block, blocks_begun;
    uint64_t block_site;
    uint32_t block_points;
    size_t block_at; /* its frame; 0: none, or the outermost one */

    /* For strategies. */
    uint64_t priority, expected;
    uint32_t held_block; /* passed `first` in this block; 0: no */
    bool held, held_after, let_go;
    uint64_t held_since; /* points of the run */

    /* Deviations of the plan for this thread: the next one, and its clock. */
    uint32_t deviation;
    uint64_t deviation_clock;
    uint32_t arrivals_to_come; /* of the plan, for this thread */
    uint32_t denied;           /* so many looks in a row found nothing, whatever was there */
};

extern _Thread_local struct rt_runner *rt_runner_self __attribute__((tls_model("initial-exec")));

/* What there is once. */
struct rt_control {
    struct st_control_plan *plan;
    struct st_control_log *log;
    _Atomic uint32_t *client; /* of the area */
    struct rt_spin lock;
    struct rt_runner *_Atomic current; /* who has the baton; NULL: nobody */
    struct rt_runner *live;            /* all that have not ended */
    struct rt_runner **ready;          /* sorted by index */
    uint32_t ready_count, ready_capacity;
    struct rt_runner **timed; /* those with a deadline, from 1 on */
    uint32_t timed_count, timed_capacity;
    _Atomic uint32_t alive;
    uint32_t count;         /* of all runners so far */
    uint32_t outside;       /* so many wait for what is outside, parked or in a call */
    struct rt_runner *last; /* who decided last; never NULL once there is a thread */
    uint32_t last_time;     /* the ordinal of that decision for ST_DEVIATION_TIME */
    bool foreign;           /* other processes may send something */
    bool listens;           /* or will connect, perhaps */
    uint64_t handled;       /* signals with a handler, which are blocked until they are due */
    uint64_t sent;          /* by threads of the program to the process, and blocked by all */
    uint64_t tickets;
    uint64_t events;
    uint64_t stop_clock; /* of the plan; 0: none */
    uint64_t idle;       /* so many nanoseconds nobody has had the baton */
    uint64_t yields;     /* since anything changed */
    uint64_t vain;       /* about so many events were spent on them */
    uint64_t preempted;  /* so often a strategy has stopped a thread that could go on */
    bool learning;
    uint64_t sample;    /* of memory: which one (learning.c) */
    uint16_t contested; /* bits of those who can go on; valid if `contested_known` */
    bool contested_known;
};
extern struct rt_control rt_control;

static inline bool rt_has_flag(enum st_control_flag flag) {
    return rt_control.plan->flags & flag;
}

#endif
