/* The threads of a controlled run, and who can go on. For this folder alone. */
#ifndef SERIATIM_RUNTIME_CONTROL_RUNNER_H
#define SERIATIM_RUNTIME_CONTROL_RUNNER_H

#include "runtime/control/turns.h"
#include "runtime/control/code_places.h"
#include "runtime/core/spin.h"

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

/* ---- runners.c: with the lock ---- */

void rt_first_runner(void);
void rt_make_ready(struct rt_runner *runner);
void rt_make_unready(struct rt_runner *runner, enum st_control_thread_state state);
void rt_add_deadline(struct rt_runner *runner, uint64_t deadline);
void rt_drop_deadline(struct rt_runner *runner);

/* Writes down how it stands. */
void rt_log_runner(const struct rt_runner *runner);
struct rt_runner *rt_runner_with_tid(int tid);

/* ---- waiting.c: with the lock ---- */

/* It waits for nothing any more. */
void rt_unlink_blocked(struct rt_runner *runner);
void rt_retry_all(void);

/* ---- baton.c ---- */

void rt_lock_baton(void);
void rt_unlock_baton(void);
/* Who goes on? With the lock, which it lets go of. `me` is at a point, or has just become one that
 * cannot go on; then it returns when that has changed. */
enum rt_decision { RT_AT_POINT, RT_AT_BLOCK, RT_AT_END };
void rt_decide(struct rt_runner *me, enum rt_decision decision);
/* The same for most points, and quickly. Without the lock. false: nothing was done, as it is not
 * that simple. */
bool rt_decide_plainly(struct rt_runner *me, bool contested);
/* After that, before the operation is done. Without the lock. */
void rt_pass_point(struct rt_runner *me);
void rt_park(struct rt_runner *me);
/* It goes on without the baton, until it comes back. With the lock, which it lets go of. */
void rt_leave_baton(struct rt_runner *me);
void rt_come_back(struct rt_runner *me);
/* The same when that is a decision. With the lock, which it lets go of. */
void rt_return(struct rt_runner *me);
/* If nobody has the baton and somebody can go on. */
void rt_dispatch(void);

/* ---- points.c ---- */

/* Another event of this thread. */
void rt_count_event(struct rt_runner *me, const struct rt_place *place);

/* ---- spinning.c ---- */

/* Has it done this so often in vain that others should go on? */
bool rt_spins(struct rt_runner *me, enum st_control_kind kind, uintptr_t object, uintptr_t caller);

/* The same for an access that is not atomic, quickly: so many of them in a row must be reads. */
enum { RT_QUIET = 512, RT_FAIR = 20000 };
static inline bool rt_access_spins(struct rt_runner *me, bool write, uintptr_t address,
                                   uintptr_t caller) {
    bool quiet =
        write ? me->spin.quiet < RT_QUIET && !rt_control.yields : me->spin.quiet + 1 < RT_QUIET;
    if (__builtin_expect(quiet && me->clock - me->since <= RT_FAIR, 1)) {
        me->spin.quiet = write ? 0 : me->spin.quiet + 1;
        return false;
    }
    return rt_spins(me, write ? ST_POINT_WRITE : ST_POINT_READ, address, caller);
}

/* The first clock, behind the present one, at which the plan may say something, or it is somebody
 * else's turn for the sake of fairness. */
static inline uint64_t rt_calm_until(const struct rt_runner *me) {
    uint64_t until = me->since + RT_FAIR;
    if (me->deviation_clock < until)
        until = me->deviation_clock;
    if (rt_control.stop_clock > me->clock && rt_control.stop_clock < until)
        until = rt_control.stop_clock;
    return me->counts && !me->loose ? until : 0;
}

/* ---- learning.c ---- */

void rt_learning_start(void);
void rt_number_begins(struct rt_runner *runner);
void rt_number_ends(const struct rt_runner *runner);
void rt_learn(const struct rt_runner *me, uintptr_t address, size_t size, bool write,
              struct rt_place *place);

/* Where a thread comes more often, it learns from a sample of the memory. */
enum { RT_OFTEN = 4096 };
static inline bool rt_is_in_sample(uintptr_t address) {
    enum { A_PAGE_OF_DETAILS = 11, ONE_IN_16 = 60 };
    uint64_t page = address >> A_PAGE_OF_DETAILS;
    return (page + rt_control.sample) * UINT64_C(0x9e3779b97f4a7c15) >> ONE_IN_16 == 0;
}

/* Quickly: might rt_learn learn something? */
static inline bool rt_may_teach(const struct rt_runner *me, uintptr_t address, size_t size,
                                const struct rt_place *place) {
    return size > 8 || !me->counts || me->counts[place->id] <= RT_OFTEN || rt_is_in_sample(address);
}

/* ---- deviations.c ---- */

void rt_read_deviations(void);
void rt_take_deviations(struct rt_runner *runner);
/* The thread that the plan names for this decision; NULL: it names none. */
struct rt_runner *rt_follow(struct rt_runner *me, enum st_control_deviation_kind kind,
                            uint32_t ordinal);
/* The same without following it; it may be impossible. */
struct rt_runner *rt_peek(struct rt_runner *me, enum st_control_deviation_kind kind,
                          uint32_t ordinal);
/* Does the plan have this signal, later? */
bool rt_is_signal_planned(int number);
/* The signal that the plan names here; 0: none. */
int rt_follow_signal(struct rt_runner *me);
/* What was followed last has turned out to be impossible. */
void rt_cannot_follow(void);
void rt_note_signal(struct rt_runner *me, int number);
void rt_note_deviation(struct rt_runner *me, const struct rt_runner *next,
                       enum st_control_deviation_kind kind, uint32_t ordinal);
struct rt_runner *rt_runner_named(uint64_t name);

/* ---- virtual_time.c: with the lock ---- */

/* While nobody had the baton, real time has passed. */
void rt_time_passed(uint64_t nanoseconds);
/* The waiting of one whose deadline is next ends. false: nobody has one, or it is for real time to
 * pass. */
bool rt_pass_time(void);
/* Can anybody go on later without the others: does it wait for time, or for what is outside? */
bool rt_is_anything_to_come(void);
/* Before a decision: perhaps somebody's waiting ends early. */
void rt_pass_time_early(struct rt_runner *me, uint32_t ordinal);
uint64_t rt_now(clockid_t clock);
uint64_t rt_real_nanoseconds(void);

/* ---- timers.c: with the lock ---- */

/* The deadline of the timer that is next; RT_FOREVER: none. */
uint64_t rt_next_timer(void);
/* That timer fires. */
void rt_fire_next_timer(void);
/* One with this signal fires, if there is any. */
bool rt_fire_timer_with(int number);
/* The signal of any of them; 0: there is none that has one. */
int rt_any_timer_signal(void);

/* ---- outside.c: with the lock ---- */

/* Nobody can go on, and `rt_control.last` was the last: is what somebody waits for outside there by
 * now? Then it can. */
bool rt_look_outside(void);
bool rt_is_somebody_outside(void);
/* Before a decision: what the plan says comes here, or what a strategy notices. Lets go of the lock
 * while it waits for that. */
void rt_take_arrivals(struct rt_runner *me);
/* Waits until it is there, without the lock. false: for too long. */
bool rt_wait_really(bool (*is_there)(const void *what), const void *what);
/* It waits for no descriptor any more. */
void rt_unlink_outside(struct rt_runner *runner);
/* Without the lock: sleeps until a descriptor is ready, or for that long. */
void rt_sleep_outside(const struct timespec *nap);

/* Is there a client that takes turns with the program? */
static inline bool rt_has_client(void) {
    return atomic_load(rt_control.client) != ST_CLIENT_NONE;
}
/* Nobody can go on, or all spin: it is the client's turn, unless it has it already. */
void rt_ask_client(void);

/* ---- signals.c: with the lock ---- */

/* Nobody can go on: is there a signal that somebody should handle? */
bool rt_look_for_signals(void);
/* Before a decision, as rt_take_arrivals. */
void rt_take_signals(struct rt_runner *me);
/* A signal came to the process: who will handle it can go on. */
void rt_signal_came(struct rt_runner *me, int number);
/* Of the first thread. */
void rt_first_mask(struct rt_runner *me);
/* What is really blocked: while it is parked everything is. */
void rt_block_all_signals(void);
void rt_restore_signals(const struct rt_runner *me);
/* Without the lock, and not busy: handles what is due. */
void rt_handle_due_slow(struct rt_runner *me);
static inline void rt_handle_due(struct rt_runner *me) {
    if (__builtin_expect(me->due != 0, 0))
        rt_handle_due_slow(me);
}

/* ---- crashes.c ---- */

void rt_catch_crashes(void);

/* ---- endings.c ---- */

_Noreturn void rt_end_run(enum st_control_end end);
void rt_log_all(void);
/* Has the C library come to the end of standard input? What it reads for itself is not seen. */
void rt_note_end_of_input(void);
void rt_note_input(void); /* outside.c */
void rt_check_length(void);
/* Nobody can go on. Returns if somebody can after all. */
void rt_nobody_can(void);

#endif
