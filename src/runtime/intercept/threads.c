/* Threads that the program creates, ends, joins and detaches.
 *
 * A fork is emitted before its thread exists, a join after its thread is gone. Inferred blocks are
 * split after a fork and before a join: what a function does before it starts others, and what it
 * does with their results, was never meant to be one step.
 *
 * A signal can come before anything of a new thread has run. Its handler would be the first to call
 * us, and we would take the thread for one whose creation nobody saw, without fork and join. So a
 * thread is created with all signals blocked, and has the mask that it should have once it is known
 * (new_thread_mask.h). */
#define _GNU_SOURCE
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/control/runners.h"
#include "runtime/core/memory_events.h"
#include "runtime/core/spin.h"
#include "runtime/core/sync_events.h"
#include "runtime/intercept/contexts.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/new_thread_mask.h"
#include "runtime/intercept/robust_mutexes.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

RT_REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
RT_REAL(int, pthread_join, pthread_t, void **)
RT_REAL(int, pthread_tryjoin_np, pthread_t, void **)
RT_REAL(int, pthread_timedjoin_np, pthread_t, void **, const struct timespec *)
RT_REAL(int, pthread_clockjoin_np, pthread_t, void **, clockid_t, const struct timespec *)
RT_REAL(int, pthread_detach, pthread_t)
RT_REAL(void, pthread_exit, void *)
RT_REAL(int, thrd_create, thrd_t *, thrd_start_t, void *)
RT_REAL(int, thrd_join, thrd_t, int *)
RT_REAL(int, thrd_detach, thrd_t)
RT_REAL(void, thrd_exit, int)

_Static_assert(sizeof(thrd_t) == sizeof(pthread_t),
               "C11 threads are POSIX threads by another name");

/* ---- which thread has which id ---- */

/* A thread from its creation until it is joined or detached, or, if it was born detached, until it
 * has started. It is in the table, by id, from the moment when the new thread begins or when its
 * creation returns, whichever is first: in both the id is its own for certain. So an id that was
 * used before finds the thread that has it now, and whoever can know an id can find its thread. */
struct record {
    struct record *next; /* in its bucket, or among those that are free */
    pthread_t id;
    uint32_t serial;
    unsigned references; /* creator, new thread, table; free at 0 */
    bool joinable;
    bool entered; /* it is or was in the table */
    union {
        void *(*posix)(void *);
        thrd_start_t c11;
    } routine;
    void *argument;
    sigset_t mask;            /* of signals, for the new thread */
    struct rt_runner *runner; /* NULL: it does not take turns */
};

enum { BUCKETS = 1024, RECORDS_AT_A_TIME = 256 };

static struct record *buckets[BUCKETS];
static struct record *free_records;
static struct rt_spin records_lock; /* for all of these */

static struct record **bucket_of(pthread_t id) {
    return &buckets[((uint64_t)id >> 6) * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

/* The next four are called with the lock. */
static struct record *new_record(void) {
    if (!free_records) {
        struct record *fresh = rt_map_memory(RECORDS_AT_A_TIME * sizeof *fresh);
        if (!fresh)
            return NULL;
        for (size_t i = 0; i < RECORDS_AT_A_TIME; i++) {
            fresh[i].next = free_records;
            free_records = &fresh[i];
        }
    }
    struct record *record = free_records;
    free_records = record->next;
    return record;
}

static void drop(struct record *record) {
    if (--record->references)
        return;
    record->next = free_records;
    free_records = record;
}

static void take_out(struct record **place) {
    struct record *record = *place;
    *place = record->next;
    drop(record);
}

static void put_in(struct record *record, pthread_t id) {
    struct record **bucket = bucket_of(id);
    for (struct record **place = bucket; *place; place = &(*place)->next)
        if ((*place)->id == id) { /* left over from a thread that ended unseen */
            take_out(place);
            break;
        }
    record->id = id;
    record->entered = true;
    record->references++;
    record->next = *bucket;
    *bucket = record;
}

static uint32_t serial_of(pthread_t id, struct rt_runner **runner) {
    if (runner)
        *runner = NULL;
    if (!rt_enter())
        return RT_NO_THREAD;
    rt_spin_lock(&records_lock);
    uint32_t serial = RT_NO_THREAD;
    for (struct record *record = *bucket_of(id); record; record = record->next)
        if (record->id == id) {
            serial = record->serial;
            if (runner)
                *runner = record->runner;
        }
    rt_spin_unlock(&records_lock);
    rt_leave();
    return serial;
}

/* The id may be that of another thread by now, whose record stays. */
static void forget(pthread_t id, uint32_t serial) {
    rt_spin_lock(&records_lock);
    for (struct record **place = bucket_of(id); *place; place = &(*place)->next)
        if ((*place)->serial == serial) {
            take_out(place);
            break;
        }
    rt_spin_unlock(&records_lock);
}

/* ---- the end of a thread ---- */

static _Thread_local struct {
    void *low;
    size_t size;
} stack __attribute__((tls_model("initial-exec")));

/* Destructors of keys run after those of thread_local objects, in rounds; this one is for the last
 * round. Its value is the number of rounds to come. */
static void on_end(void *rounds);

static _Atomic(uintptr_t) end_key; /* the key + 1 */

static uintptr_t find_key(void) {
    uintptr_t found = atomic_load_explicit(&end_key, memory_order_acquire);
    pthread_key_t key;
    if (found || pthread_key_create(&key, on_end))
        return found;
    if (atomic_compare_exchange_strong(&end_key, &found, (uintptr_t)key + 1))
        return (uintptr_t)key + 1;
    pthread_key_delete(key); /* another thread was faster */
    return found;
}

void rt_thread_will_end(void) {
    uintptr_t key = find_key();
    if (key)
        pthread_setspecific((pthread_key_t)(key - 1),
                            (void *)(uintptr_t)PTHREAD_DESTRUCTOR_ITERATIONS);
}

static void free_stack(void) {
    if (!stack.size || !rt_enter())
        return;
    rt_free(stack.low, stack.size);
    rt_leave();
}

static void on_end(void *rounds) {
    uintptr_t left = (uintptr_t)rounds;
    uintptr_t key = atomic_load_explicit(&end_key, memory_order_relaxed);
    if (left > 1 && !pthread_setspecific((pthread_key_t)(key - 1), (void *)(left - 1)))
        return;
    rt_release_robust_mutexes(RT_CALLER);
    free_stack();
    rt_thread_end();
    rt_runner_end();
}

/* ---- its beginning ---- */

/* The stack of a thread is that of an earlier one, often, or memory that was something else; the
 * C library keeps and unmaps stacks without a call that we could see. So it is freed
 * where the thread ends, and where it begins, since not every end is seen. The thread's static
 * thread_local objects lie in the same memory; others come from malloc. */
static void find_stack(void) {
    _Alignas(16) char memory[4096];
    pthread_attr_t attr;
    rt_lend_memory(memory, sizeof memory);
    if (!pthread_getattr_np(pthread_self(), &attr)) {
        if (pthread_attr_getstack(&attr, &stack.low, &stack.size))
            stack.size = 0;
        pthread_attr_destroy(&attr);
    }
    rt_lend_memory(NULL, 0);
}

/* Takes what the new thread is to do. Signals are blocked until it is known whose thread this is.
 */
static struct record begin(struct record *record) {
    rt_runner_begin(record->runner);
    rt_thread_start(record->serial);
    bool inside = rt_enter();
    rt_spin_lock(&records_lock);
    if (record->joinable && !record->entered)
        put_in(record, pthread_self());
    struct record copy = *record;
    drop(record);
    rt_spin_unlock(&records_lock);
    if (inside)
        rt_leave();
    rt_thread_will_end();
    find_stack();
    free_stack();
    rt_forget_contexts(stack.low, stack.size);
    pthread_sigmask(SIG_SETMASK, &copy.mask, NULL);
    return copy;
}

static void *run_posix(void *record) {
    struct record self = begin(record);
    rt_thread_starts_with((uintptr_t)self.routine.posix);
    return self.routine.posix(self.argument);
}

static int run_c11(void *record) {
    struct record self = begin(record);
    rt_thread_starts_with((uintptr_t)self.routine.c11);
    return self.routine.c11(self.argument);
}

/* NULL: the thread will not be watched. */
static struct record *prepare(bool joinable, uintptr_t caller) {
    rt_follow_child();
    rt_point(ST_POINT_FORK, NULL, 0, caller);
    if (!rt_enter())
        return NULL;
    rt_spin_lock(&records_lock);
    struct record *record = new_record();
    rt_spin_unlock(&records_lock);
    if (record) {
        *record = (struct record){
            .serial = rt_thread_fork(caller), .references = 2, .joinable = joinable};
        rt_split();
    }
    rt_leave();
    if (record)
        record->runner = rt_runner_new();
    return record;
}

/* `id` is looked at only while the new thread cannot have run anything of the program: the memory
 * may be gone after that. */
static void created(struct record *record, bool success, const pthread_t *id) {
    bool inside = rt_enter();
    rt_spin_lock(&records_lock);
    if (!success) {
        rt_runner_failed(record->runner);
        drop(record); /* for the thread that never came */
    }
    if (success)
        rt_runner_is(record->runner, *id);
    if (success && record->joinable && !record->entered)
        put_in(record, *id);
    drop(record);
    rt_spin_unlock(&records_lock);
    if (inside)
        rt_leave();
}

RT_EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*routine)(void *),
                             void *argument) {
    int detached = PTHREAD_CREATE_JOINABLE;
    if (attr)
        pthread_attr_getdetachstate(attr, &detached);
    struct record *record = prepare(detached == PTHREAD_CREATE_JOINABLE, RT_CALLER);
    if (!record)
        return real_pthread_create()(id, attr, routine, argument);
    record->routine.posix = routine;
    record->argument = argument;
    struct rt_blocked blocked;
    attr = rt_block_signals(&blocked, attr, &record->mask);
    int result = real_pthread_create()(id, attr, run_posix, record);
    created(record, result == 0, id);
    rt_unblock_signals(&blocked);
    return result;
}

RT_EXPORT int thrd_create(thrd_t *id, thrd_start_t routine, void *argument) {
    if (!real_thrd_create())
        return thrd_error;
    struct record *record = prepare(true, RT_CALLER);
    if (!record)
        return real_thrd_create()(id, routine, argument);
    record->routine.c11 = routine;
    record->argument = argument;
    struct rt_blocked blocked;
    rt_block_signals(&blocked, NULL, &record->mask);
    int result = real_thrd_create()(id, run_c11, record);
    created(record, result == thrd_success, (const pthread_t *)id);
    rt_unblock_signals(&blocked);
    return result;
}

/* ---- names ---- */

void rt_name_thread(pthread_t id, const char *name) {
    uint32_t serial = serial_of(id, NULL); /* not of the first one, which is main anyway */
    if (!rt_enter())
        return;
    if (serial == RT_NO_THREAD && pthread_equal(id, pthread_self()))
        serial = rt_thread_serial();
    if (serial && serial != RT_NO_THREAD)
        rt_thread_named(serial, name);
    rt_leave();
}

RT_REAL(int, pthread_setname_np, pthread_t, const char *)
RT_EXPORT int pthread_setname_np(pthread_t id, const char *name) {
    int result = real_pthread_setname_np()(id, name);
    if (result == 0)
        rt_name_thread(id, name);
    return result;
}

/* ---- join, detach, exit ---- */

static int joined(int result, pthread_t id, uint32_t serial, uintptr_t caller) {
    if (result != 0 || !rt_enter())
        return result;
    rt_split();
    if (serial != RT_NO_THREAD) {
        rt_thread_join(serial, caller);
        forget(id, serial);
    }
    rt_leave();
    return result;
}

/* The serial number is looked up first: after the real join the id can be that of a new thread. */
RT_EXPORT int pthread_join(pthread_t id, void **value) {
    struct rt_runner *runner;
    uint32_t serial = serial_of(id, &runner);
    if (rt_takes_turns())
        rt_runner_join(runner, RT_FOREVER, RT_CALLER);
    return joined(real_pthread_join()(id, value), id, serial, RT_CALLER);
}

RT_EXPORT int pthread_tryjoin_np(pthread_t id, void **value) {
    if (!real_pthread_tryjoin_np())
        return ENOSYS;
    struct rt_runner *runner;
    uint32_t serial = serial_of(id, &runner);
    rt_point(ST_POINT_TRY_LOCK, runner, 1, RT_CALLER);
    if (rt_takes_turns() && runner)
        return rt_runner_has_ended(runner)
                   ? joined(real_pthread_join()(id, value), id, serial, RT_CALLER)
                   : EBUSY;
    return joined(real_pthread_tryjoin_np()(id, value), id, serial, RT_CALLER);
}

RT_EXPORT int pthread_timedjoin_np(pthread_t id, void **value, const struct timespec *until) {
    if (!real_pthread_timedjoin_np())
        return ENOSYS;
    struct rt_runner *runner;
    uint32_t serial = serial_of(id, &runner);
    if (rt_takes_turns() &&
        rt_runner_join(runner, rt_deadline(CLOCK_REALTIME, until), RT_CALLER) == RT_TIMED_OUT)
        return ETIMEDOUT;
    if (rt_takes_turns() && runner)
        return joined(real_pthread_join()(id, value), id, serial, RT_CALLER);
    return joined(real_pthread_timedjoin_np()(id, value, until), id, serial, RT_CALLER);
}

RT_EXPORT int pthread_clockjoin_np(pthread_t id, void **value, clockid_t clock,
                                   const struct timespec *until) {
    if (!real_pthread_clockjoin_np())
        return ENOSYS;
    struct rt_runner *runner;
    uint32_t serial = serial_of(id, &runner);
    if (rt_takes_turns() &&
        rt_runner_join(runner, rt_deadline(clock, until), RT_CALLER) == RT_TIMED_OUT)
        return ETIMEDOUT;
    if (rt_takes_turns() && runner)
        return joined(real_pthread_join()(id, value), id, serial, RT_CALLER);
    return joined(real_pthread_clockjoin_np()(id, value, clock, until), id, serial, RT_CALLER);
}

RT_EXPORT int thrd_join(thrd_t id, int *value) {
    if (!real_thrd_join())
        return thrd_error;
    struct rt_runner *runner;
    uint32_t serial = serial_of(id, &runner);
    if (rt_takes_turns())
        rt_runner_join(runner, RT_FOREVER, RT_CALLER);
    return joined(real_thrd_join()(id, value), id, serial, RT_CALLER);
}

static int detached(int result, pthread_t id, uint32_t serial) {
    if (result == 0 && serial != RT_NO_THREAD && rt_enter()) {
        forget(id, serial);
        rt_leave();
    }
    return result;
}

RT_EXPORT int pthread_detach(pthread_t id) {
    uint32_t serial = serial_of(id, NULL);
    return detached(real_pthread_detach()(id), id, serial);
}

RT_EXPORT int thrd_detach(thrd_t id) {
    if (!real_thrd_detach())
        return thrd_error;
    uint32_t serial = serial_of(id, NULL);
    return detached(real_thrd_detach()(id), id, serial);
}

/* The first thread, and those whose creation nobody saw, have no such destructor yet. */
RT_EXPORT void pthread_exit(void *value) {
    rt_thread_will_end();
    real_pthread_exit()(value);
    __builtin_unreachable();
}

RT_EXPORT void thrd_exit(int value) {
    rt_thread_will_end();
    real_thrd_exit()(value);
    __builtin_unreachable();
}
