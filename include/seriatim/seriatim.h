/* seriatim.h: check the events of a multithreaded program for atomicity violations.
 *
 * A program that knows what its threads do (a simulator, a virtual machine, a tracer) feeds events
 * to a checker one by one. The checker calls back for each violated block as soon as it is known:
 *
 *     seriatim_checker *checker = seriatim_checker_new("witness");
 *     seriatim_checker_on_violation(checker, print, NULL);
 *     seriatim_event(checker, 1, SERIATIM_BEGIN, TRANSFER, 10);
 *     seriatim_event(checker, 1, SERIATIM_READ, (uintptr_t)&account, 11);
 *     ...
 *     seriatim_result result;
 *     seriatim_checker_finish(checker, &result);
 *     seriatim_checker_free(checker);
 *
 * Words. A block is a stretch of one thread's events that is meant to be atomic; blocks nest, and
 * an outermost block is a transaction. An event outside any block is a transaction of its own. A
 * run is serializable when some order of its whole transactions explains it: when no chain of
 * dependences (conflicting accesses, lock hand-overs, fork, join, sends and receives) leads from a
 * transaction through others back to itself. A block is violated when such a chain leaves it for
 * another thread and comes back into it.
 *
 * Beyond one run: a seriatim_inference adds up what several checkers counted, and says which blocks
 * were never violated. A seriatim_predictor takes the events of one run and says which blocks other
 * schedules of the same run could violate.
 *
 * Threads. The library has no global state: its objects are independent of each other and may be
 * used in different threads at the same time. One object must be used by one thread at a time, and
 * the order of the calls is the order of the events: a program that feeds events from several
 * threads holds a lock of its own around the event and the call.
 *
 * Failure. Functions that can fail return -1 or NULL and say below when they do. Memory is the
 * exception: when there is none left, the library says so on standard error and ends the process
 * with status 2. Nothing else in it prints or exits.
 *
 * Versions. Until 1.0, a new minor version may change this interface; the name of the shared
 * library (its SONAME) changes with it. */
#ifndef SERIATIM_SERIATIM_H
#define SERIATIM_SERIATIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SERIATIM_API __attribute__((visibility("default")))
#else
#define SERIATIM_API
#endif

/* The version of this header. */
#define SERIATIM_VERSION_MAJOR 0
#define SERIATIM_VERSION_MINOR 1
#define SERIATIM_VERSION_PATCH 0
#define SERIATIM_VERSION_STRING "0.1.0"

/* The version of the library that the program runs with, as "0.1.0". Never NULL; a constant. */
SERIATIM_API const char *seriatim_version(void);

/* ---- Engines -------------------------------------------------------------------------------- */

/* The name of an engine, counted from 0, or NULL when there are not that many. Constants. */
SERIATIM_API const char *seriatim_engine_name(size_t index);

/* What that engine does, in one line; NULL as above. */
SERIATIM_API const char *seriatim_engine_summary(size_t index);

/* ---- Checkers ------------------------------------------------------------------------------- */

typedef struct seriatim_checker seriatim_checker;

/* A new checker with the engine of that name; NULL stands for the default, "witness".
 *
 * Returns NULL when no engine has that name, and for no other reason. The caller owns the checker
 * and ends it with seriatim_checker_free. The name is not kept. */
SERIATIM_API seriatim_checker *seriatim_checker_new(const char *engine);

/* Ends a checker at any time, finished or not, and everything that it handed out. NULL is fine.
 * Must not be called from a callback of the same checker. */
SERIATIM_API void seriatim_checker_free(seriatim_checker *checker);

/* ---- Events --------------------------------------------------------------------------------- */

/* A channel carries order: each send happens before each later receive of the same channel, by
 * whatever thread, and nothing else is ordered by it. Semaphores (a post sends, a wait receives),
 * conditions (a signal sends, a wake receives), once (the initialiser sends, each return
 * receives), reader-writer locks (a write lock receives from channels R and W, a write unlock sends
 * on W, a read lock receives from W, a read unlock sends on R) and barriers (an arrival sends, a
 * departure receives, and the rounds take turns with two channels) are fed in this way. Feed a
 * send before the operation takes effect, and a receive after it. */
typedef enum seriatim_op {
    SERIATIM_READ,    /* operand: variable */
    SERIATIM_WRITE,   /* operand: variable */
    SERIATIM_ACQUIRE, /* operand: lock; acquiring a lock that one holds is fine and counts once */
    SERIATIM_RELEASE, /* operand: lock */
    SERIATIM_FORK,    /* operand: the new thread */
    SERIATIM_JOIN,    /* operand: the thread that has ended */
    SERIATIM_BEGIN,   /* operand: block id, or SERIATIM_UNNAMED */
    SERIATIM_END,     /* of the innermost open block; the operand has no meaning */
    SERIATIM_SEND,    /* operand: channel */
    SERIATIM_RECEIVE  /* operand: channel; comes after all earlier sends of it */
} seriatim_op;

/* What counts as a dependence. Both count program order, conflicting accesses, fork, join, and
 * channels that carry signals. SERIATIM_LOCKS, the default, also counts the order from a release of
 * a lock to each later acquire of it, as the papers do. With SERIATIM_DATA, locks make no order:
 * what is found then always names a variable, and threads that only read never violate a block. */
typedef enum seriatim_relation { SERIATIM_LOCKS, SERIATIM_DATA } seriatim_relation;

/* Sets the relation. Returns 0, or -1 when the checker has taken an event already. */
SERIATIM_API int seriatim_checker_relation(seriatim_checker *checker, seriatim_relation relation);

/* Says that a channel belongs to a lock, such as a reader-writer lock or a semaphore that is used
 * as one: it is left out where locks make no order. Other channels carry signals. Call this before
 * the first event on the channel. Returns 0, or -1 when it came too late. */
SERIATIM_API int seriatim_checker_lock_channel(seriatim_checker *checker, uint64_t channel);

/* The id of a block without a name. Unnamed blocks are separate blocks; they only look alike. */
#define SERIATIM_UNNAMED UINT64_MAX

/* Locations are numbers of the caller's choice below this limit: a line, a program counter. */
#define SERIATIM_LOCATION_LIMIT (UINT64_C(1) << 47)

/* The next event of the run: `thread` did `op` on `operand` at `loc`.
 *
 * Threads, variables, locks, blocks and channels are named by any 64-bit ids; addresses and handles
 * are fine. The five kinds are separate: variable 7 and lock 7 have nothing to do with each other.
 * An id means the same for as long as the checker lives, with one exception: when a thread was
 * joined and its id is forked again, that is a new thread (as operating systems do with their
 * handles). Memory grows with the number of different ids, not with the number of events.
 *
 * Returns 0 when the event was taken. It then has a number: the first event taken is event 1.
 *
 * Returns -1 when the event makes no sense after those before it (a release of a lock that is not
 * held, an end without a begin, an event of a joined thread, ...), when `op` or `loc` is out of
 * range, or after seriatim_checker_finish. Such an event is refused: it has no number and no
 * effect, seriatim_error says what was wrong, and the checker can still be used. Whether to go on
 * is the caller's choice: when events are missing, the verdict may be wrong.
 *
 * The callback of seriatim_checker_on_violation is called before this function returns. */
SERIATIM_API int seriatim_event(seriatim_checker *checker, uint64_t thread, seriatim_op op,
                                uint64_t operand, uint64_t loc);

/* The life of a variable has ended, since its memory was freed, for example: the next access to
 * this id is one to another variable, and what the checker keeps of the old one can go. This is no
 * event, and an id that is not known is fine. */
SERIATIM_API void seriatim_forget_variable(seriatim_checker *checker, uint64_t variable);

/* Why the last call that returned -1 did so, as a sentence without a full stop. Never NULL; ""
 * when no call has failed. Valid until the next call with this checker. */
SERIATIM_API const char *seriatim_error(const seriatim_checker *checker);

/* ---- Findings ------------------------------------------------------------------------------- */

/* An event in a finding, with the ids that the caller gave. */
typedef struct seriatim_place {
    uint64_t event; /* its number, from 1 */
    uint64_t thread;
    uint64_t operand;
    uint64_t loc;
    seriatim_op op;
} seriatim_place;

typedef enum seriatim_edge_kind {
    SERIATIM_EDGE_CONFLICT, /* two accesses of a variable, at least one of them a write */
    SERIATIM_EDGE_LOCK,     /* release, then acquire */
    SERIATIM_EDGE_FORK,     /* fork, then an event of the child */
    SERIATIM_EDGE_JOIN,     /* an event of the child, then join */
    SERIATIM_EDGE_SYNC      /* send, then receive */
} seriatim_edge_kind;

/* A dependence between two events of different threads. */
typedef struct seriatim_edge {
    seriatim_place from, to;
    seriatim_edge_kind kind;
} seriatim_edge;

/* A violated block. */
typedef struct seriatim_violation {
    uint64_t thread; /* whose block it is */
    uint64_t block;  /* the operand of its begin */
    unsigned depth;  /* 0 is outermost; nested blocks are named by engines that look at them */
    uint64_t begin;  /* the number of its begin event */
    uint64_t begin_loc;
    uint64_t end;         /* the number of its end event; 0 while it is open */
    seriatim_place event; /* the first event that proves the violation */

    /* How the dependence left the block and came back to `event`: the first edge starts in the
     * block, each other one in the thread where the one before it arrived, with the same event or
     * a later one. NULL and 0 when the engine does not know it. */
    const seriatim_edge *path;
    size_t path_length;

    /* The last edge of such a path, which more engines know: from the event that came in between
     * to `event`. to.event is 0 when it is not known; from.event is 0 when only from.thread is. */
    seriatim_edge closing;
} seriatim_violation;

/* Called once for each violated block, as soon as the engine knows: at the event that proves it
 * for witness, regiontrack and velodrome; later, at the latest in seriatim_checker_finish, for
 * doublechecker; never for aerodrome, which names no blocks. When one event proves several, an
 * outer block comes before an inner one.
 *
 * The violation and its path belong to the checker and are gone when the callback returns. The
 * callback must not call functions with the same checker. */
typedef void (*seriatim_violation_callback)(void *context, const seriatim_violation *violation);

/* Sets the callback; NULL, the default, for none. May be changed between any two events. */
SERIATIM_API void seriatim_checker_on_violation(seriatim_checker *checker,
                                                seriatim_violation_callback callback,
                                                void *context);

/* How many violations to keep for seriatim_checker_violation. The default is 1000, so that a long
 * run with a common violation does not fill the memory; SIZE_MAX keeps all. All are counted and
 * given to the callback, kept or not. A lower limit than before drops nothing.
 *
 * When there are more, the blocks share the places by their ids: one of a block that has few of
 * them replaces the newest of the block that has most, so that a common violation does not hide a
 * rare one. */
SERIATIM_API void seriatim_checker_keep(seriatim_checker *checker, size_t limit);

/* How many violations are kept so far. */
SERIATIM_API size_t seriatim_checker_kept(const seriatim_checker *checker);

/* A kept violation, counted from 0, as it stands now (`end` is known once the block has ended).
 * After seriatim_checker_finish they are in the order of the events that prove them, an outer block
 * before an inner one; before that in no particular order.
 *
 * Returns NULL when there are not that many. What it points to belongs to the checker and is valid
 * until the next call with this checker. */
SERIATIM_API const seriatim_violation *seriatim_checker_violation(seriatim_checker *checker,
                                                                  size_t index);

/* The cross-thread edges of the first cycle of transactions, where the engine gives one. A run can
 * be not serializable without any violated block; this is then the only explanation.
 *
 * Sets *length, to 0 with a NULL result when there is none. Lifetime as above. */
SERIATIM_API const seriatim_edge *seriatim_checker_cycle(seriatim_checker *checker, size_t *length);

/* Bytes that the checker uses at this moment, roughly. */
SERIATIM_API size_t seriatim_checker_memory(const seriatim_checker *checker);

typedef struct seriatim_result {
    int serializable;         /* 1: yes, 0: no, -1: not decided */
    const char *gave_up;      /* why it is not decided, or NULL; lives as long as the checker */
    int names_blocks;         /* 1: this engine names violated blocks, 0: it gives a verdict only */
    int outermost_only;       /* 1: it looks at outermost blocks only, 0: at nested ones too */
    int blames_closers;       /* 1: a block it names without a path need not be violated */
    uint64_t first_bad_event; /* the event at which the engine saw the run go wrong, or 0 */
    uint64_t violation_count; /* violated outermost blocks, also those that were not kept */
    uint64_t events;          /* taken */
    uint64_t refused;         /* events for which seriatim_event returned -1 */
} seriatim_result;

/* No more events come. Blocks may be open and locks may be held: the verdict on a truncated run is
 * that on the events that were fed. Engines may find violations only now: the callback may be
 * called.
 *
 * Fills *result. Calling it again gives the same result. */
SERIATIM_API void seriatim_checker_finish(seriatim_checker *checker, seriatim_result *result);

/* ---- Inference: which blocks were never violated ----------------------------------------------
 */

/* Adds up what checkers counted, over any number of runs: how often blocks ran, and how often they
 * were violated. A block that ran often and was never violated is probably meant to be atomic.
 *
 *     seriatim_inference *inference = seriatim_inference_new();
 *     for each run:
 *         ... feed a new checker with its events, and finish it ...
 *         seriatim_inference_add(inference, checker);
 *     const seriatim_block_counts *blocks = seriatim_inference_blocks(inference, &count);
 */
typedef struct seriatim_inference seriatim_inference;

/* Blocks with the same id, over all runs that were added. */
typedef struct seriatim_block_counts {
    uint64_t block;    /* the operand of their begins */
    uint64_t executed; /* how many there were, nested ones and open ones too */
    uint64_t violated; /* how many of them were violated */
} seriatim_block_counts;

/* A new inference, without runs. Never NULL. The caller owns it and ends it with
 * seriatim_inference_free. */
SERIATIM_API seriatim_inference *seriatim_inference_new(void);

/* Ends an inference and everything that it handed out. NULL is fine. */
SERIATIM_API void seriatim_inference_free(seriatim_inference *inference);

/* Adds the run that was fed to a checker. Block ids mean the same in all runs. The checker is not
 * changed, and is no longer needed. Adding the same checker twice counts its run twice.
 *
 * Returns 0, or -1 when nothing was added: seriatim_checker_finish was not called, the engine gave
 * up, or it is one that does not know exactly which blocks of every depth were violated. The
 * default engine does, and so does witness by name. */
SERIATIM_API int seriatim_inference_add(seriatim_inference *inference,
                                        const seriatim_checker *checker);

/* How many runs were added. */
SERIATIM_API uint64_t seriatim_inference_runs(const seriatim_inference *inference);

/* The counts of all block ids: first those that were never violated, then the most rarely violated;
 * among equal ones those that ran more often come first.
 *
 * Sets *count. Never NULL. What it points to belongs to the inference and is valid until the next
 * call of seriatim_inference_add with it. */
SERIATIM_API const seriatim_block_counts *seriatim_inference_blocks(seriatim_inference *inference,
                                                                    size_t *count);

/* Fills *counts for all blocks without a name together; `block` is SERIATIM_UNNAMED. */
SERIATIM_API void seriatim_inference_unnamed(const seriatim_inference *inference,
                                             seriatim_block_counts *counts);

/* ---- Prediction: what other schedules of a run could do ---------------------------------------
 */

/* A run in which all went well can hold a violation that another order of the same events would
 * have shown. A predictor takes the events of a run, keeps them in memory, and looks for such
 * orders when the run is over:
 *
 *     seriatim_predictor *predictor = seriatim_predictor_new(NULL);
 *     seriatim_predictor_event(predictor, 1, SERIATIM_BEGIN, TRANSFER, 10);
 *     ...
 *     seriatim_prediction prediction;
 *     seriatim_predictor_finish(predictor, &prediction);
 *     for (size_t i = 0; i < prediction.listed; i++)
 *         print(seriatim_predictor_block(predictor, i));
 *     seriatim_predictor_free(predictor);
 *
 * Only outermost blocks are looked at. */
typedef struct seriatim_predictor seriatim_predictor;

/* The name of a prediction engine, counted from 0, or NULL when there are not that many. Constants.
 * They are other engines than those of checkers. */
SERIATIM_API const char *seriatim_predictor_engine_name(size_t index);

/* What that engine does, in one line; NULL as above. */
SERIATIM_API const char *seriatim_predictor_engine_summary(size_t index);

/* A new predictor with the prediction engine of that name; NULL stands for the default, "tiers":
 * what is possible, and what of it is proven. Outermost blocks are judged.
 *
 * Returns NULL when no engine has that name, and for no other reason. The caller owns the predictor
 * and ends it with seriatim_predictor_free. The name is not kept. */
SERIATIM_API seriatim_predictor *seriatim_predictor_new(const char *engine);

/* Ends a predictor at any time, finished or not, and everything that it handed out. NULL is fine.
 */
SERIATIM_API void seriatim_predictor_free(seriatim_predictor *predictor);

/* The next event of the run, exactly as in seriatim_event: the same ids, the same numbers, and the
 * same reasons to return -1. Memory grows with the number of events. */
SERIATIM_API int seriatim_predictor_event(seriatim_predictor *predictor, uint64_t thread,
                                          seriatim_op op, uint64_t operand, uint64_t loc);

/* The same as seriatim_forget_variable. The events that were taken stay in memory. */
SERIATIM_API void seriatim_predictor_forget_variable(seriatim_predictor *predictor,
                                                     uint64_t variable);

/* Why the last event was refused, as in seriatim_error. */
SERIATIM_API const char *seriatim_predictor_error(const seriatim_predictor *predictor);

/* How many threads seriatim_predictor_finish may start for its work. The default is 1, which starts
 * none; 0 is the same. */
SERIATIM_API void seriatim_predictor_jobs(seriatim_predictor *predictor, unsigned jobs);

/* How many seconds the engine may work on a block (tas, commit-node) or on one search (blocks)
 * before it gives that up. The default is 10; 0 means no limit. */
SERIATIM_API void seriatim_predictor_timeout(seriatim_predictor *predictor, double seconds);

/* How many blocks to list for seriatim_predictor_block. The default is 1000; SIZE_MAX lists all.
 * All blocks are counted, listed or not. When there are more, those with findings come first. */
SERIATIM_API void seriatim_predictor_keep(seriatim_predictor *predictor, size_t limit);

/* What an engine says of a block. The larger, the more there is to say. */
typedef enum seriatim_outlook {
    SERIATIM_OUTLOOK_ATOMIC,    /* no schedule that the engine looks at violates the block */
    SERIATIM_OUTLOOK_UNDECIDED, /* it ran out of time */
    SERIATIM_OUTLOOK_POTENTIAL, /* some schedule may; the engine is one that can be wrong */
    SERIATIM_OUTLOOK_VIOLATION  /* some schedule does: see `schedule` */
} seriatim_outlook;

/* A read in a schedule that sees another write than it saw in the run. Numbers of events; 0 stands
 * for the initial value, and UINT64_MAX for a write that is not known. */
typedef struct seriatim_changed_read {
    uint64_t event;
    uint64_t sees, saw;
} seriatim_changed_read;

/* A block, and what other schedules could do to it. Lists that are empty are NULL; all are, when
 * the block is atomic or undecided. */
typedef struct seriatim_predicted_block {
    uint64_t thread; /* whose block it is */
    uint64_t block;  /* the operand of its begin */
    uint64_t begin;  /* the number of its begin event */
    uint64_t begin_loc;
    uint64_t end; /* the number of its end event; 0 if it was still open at the end of the run */
    seriatim_outlook outlook;

    const char *pattern; /* the accesses in question, such as "R-W-R"; NULL where there is none */
    const char *why;     /* a sentence that explains the finding, or NULL */
    const uint64_t *variables; /* that the finding is about */
    size_t variable_count;

    /* The events that the finding rests on, in the order in which the schedule has them: leaving
     * the block, elsewhere, coming back; and the dependences among them, where they are known. */
    const seriatim_place *events;
    size_t event_count;
    const seriatim_edge *path;
    size_t path_length;

    /* A schedule that violates the block, as numbers of events in the order in which they run, from
     * the start of the run; and the reads in it that see something else. Only of engines that find
     * violations. */
    const uint64_t *schedule;
    size_t schedule_length;
    const seriatim_changed_read *changed_reads;
    size_t changed_read_count;
} seriatim_predicted_block;

typedef struct seriatim_prediction {
    int serializable;   /* 1: every schedule of the run is, as far as this engine looks; 0: not
                           every one; -1: not decided */
    const char *notion; /* what atomic means to the engine: "conflict", "view" or "avp" */
    uint64_t blocks;    /* outermost blocks of the run, which are ... */
    uint64_t atomic, undecided, potential, violations; /* ... so many of each outlook */
    int may_miss; /* 1: that no block is reported does not mean that none can be violated */
    const char *const *caveats; /* sentences that limit what was said; some of them name an option
                                   of the command line. They live as long as the predictor */
    size_t caveat_count;
    size_t listed;      /* blocks that seriatim_predictor_block has */
    size_t deadlocks;   /* potential ones, that seriatim_predictor_deadlock has */
    int more_deadlocks; /* 1: there may be more of them */
    uint64_t events;    /* taken */
    uint64_t refused;   /* events for which seriatim_predictor_event returned -1 */
} seriatim_prediction;

/* No more events come: runs the engine, which may take long, and looks for potential deadlocks.
 *
 * Fills *prediction. Calling it again gives the same at once; what was set for jobs, timeout and
 * keep does not matter any more. */
SERIATIM_API void seriatim_predictor_finish(seriatim_predictor *predictor,
                                            seriatim_prediction *prediction);

/* A block of the run, counted from 0 in the order of their begins; all of them, unless there are
 * more than seriatim_predictor_keep allows.
 *
 * Returns NULL when there are not that many, and before seriatim_predictor_finish. What it points
 * to belongs to the predictor and is valid until the next call with this predictor. */
SERIATIM_API const seriatim_predicted_block *seriatim_predictor_block(seriatim_predictor *predictor,
                                                                      size_t index);

/* A thread that holds one lock and wants another. */
typedef struct seriatim_wait {
    seriatim_place holds, wants; /* two acquires of the thread */
} seriatim_wait;

/* Threads that could wait for each other in a ring: each wants the lock that the next one holds,
 * and the last one that of the first. */
typedef struct seriatim_deadlock {
    const seriatim_wait *waits;
    size_t length;
} seriatim_deadlock;

/* A potential deadlock, counted from 0. NULL and lifetime as above. */
SERIATIM_API const seriatim_deadlock *seriatim_predictor_deadlock(seriatim_predictor *predictor,
                                                                  size_t index);

#ifdef __cplusplus
}
#endif

#endif
