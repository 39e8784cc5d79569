/* oneTBB: tasks that are handed to its scheduler, and waits for them.
 *
 * The templates of oneTBB are compiled with the program, so their functions and accesses are seen;
 * the scheduler is in a library, and is not. The watcher takes what those functions do by atomics
 * for order, not for data (watch/library_calls.c), so a task that gives notice of its end happens
 * before what its waiter does next. What is missing is how a task gets from one thread to another.
 *
 * A task is an object with virtual functions. The scheduler gets one of ours in its place, which
 * receives what was sent when it was handed over, and calls the real one. Their layout belongs to
 * the binary interface of libtbb.so.12. */
#define _GNU_SOURCE
#include "runtime/core/spin.h"
#include "runtime/core/memory_events.h"
#include "runtime/core/sync_events.h"
#include "runtime/intercept/interpose.h"
#include "runtime/parallel/sync_objects.h"

#define TBB(name) "_ZN3tbb6detail2r1" name
#define TASK "ERNS0_2d14taskE"

/* A function of the library: the name that it has here, and its symbol. */
#define REAL(result, name, symbol, ...)                                                            \
    typedef result (*name##_type)(__VA_ARGS__);                                                    \
    static name##_type real_##name(void) {                                                         \
        static _Atomic(name##_type) found;                                                         \
        name##_type function = atomic_load_explicit(&found, memory_order_relaxed);                 \
        if (__builtin_expect(!function, 0)) {                                                      \
            function = (name##_type)rt_real(symbol);                                               \
            atomic_store_explicit(&found, function, memory_order_relaxed);                         \
        }                                                                                          \
        return function;                                                                           \
    }                                                                                              \
    RT_EXPORT result name(__VA_ARGS__) __asm__(symbol);

/* ---- work of its own ---- */

static void end_work(const bool *began) {
    if (*began)
        RT_EMIT(rt_resume());
}

/* Until the end of the scope, also if an exception leaves it. */
#define WORK __attribute__((unused, cleanup(end_work))) bool work = begin_work()

static bool begin_work(void) {
    if (!rt_enter())
        return false;
    rt_pause();
    rt_leave();
    return true;
}

/* ---- tasks ---- */

struct task;
typedef struct task *task_code(struct task *, void *execution);

struct task {
    const struct {
        void (*destroy[2])(struct task *);
        task_code *execute, *cancel;
    } * table;
    uint64_t reserved[7]; /* the scheduler's */
};

struct stand_in {
    struct rt_object object;
    _Alignas(64) struct task task;
    struct task *real;
    uintptr_t caller;
};

_Static_assert(sizeof(struct stand_in) <= RT_OBJECT_BYTES, "a stand-in is an object");

static struct task *hand_over(struct task *real, uintptr_t caller);

static struct stand_in *stand_in_of(struct task *task) {
    return (struct stand_in *)(void *)((char *)task - offsetof(struct stand_in, task));
}

static struct stand_in *receive(struct task *task) {
    struct stand_in *stand_in = stand_in_of(task);
    for (int i = 0; i < 7; i++)
        stand_in->real->reserved[i] = task->reserved[i];
    RT_EMIT(rt_receive(stand_in, ST_CHANNEL_SPAWN, stand_in->caller));
    return stand_in;
}

/* What a task returns is to be done next. */
static struct task *finish(struct stand_in *stand_in, struct task *next) {
    uintptr_t caller = stand_in->caller;
    RT_EMIT(rt_object_release(&stand_in->object, stand_in->object.thread));
    return next ? hand_over(next, caller) : NULL;
}

/* If it throws, the scheduler cancels it next. */
static struct task *execute(struct task *task, void *execution) {
    struct stand_in *stand_in = receive(task);
    struct task *real = stand_in->real, *next;
    {
        WORK;
        next = real->table->execute(real, execution);
    }
    return finish(stand_in, next);
}

static struct task *cancel(struct task *task, void *execution) {
    struct stand_in *stand_in = receive(task);
    struct task *real = stand_in->real, *next;
    {
        WORK;
        next = real->table->cancel(real, execution);
    }
    return finish(stand_in, next);
}

static void destroy(struct task *task) {
    (void)task; /* nobody does this to a task of others */
}

static const __typeof__(*((struct task *)0)->table) table = {{destroy, destroy}, execute, cancel};

static struct task *hand_over(struct task *real, uintptr_t caller) {
    if (!rt_enter())
        return real;
    struct stand_in *stand_in = rt_object_take();
    if (stand_in) {
        stand_in->object.thread = rt_thread_serial() + 1;
        stand_in->task.table = &table;
        for (int i = 0; i < 7; i++)
            stand_in->task.reserved[i] = real->reserved[i];
        stand_in->real = real;
        stand_in->caller = caller;
        rt_send(stand_in, ST_CHANNEL_SPAWN, caller);
        rt_split();
    }
    rt_leave();
    return stand_in ? &stand_in->task : real;
}

REAL(void, spawn, TBB("5spawn" TASK "RNS2_18task_group_contextE"), struct task *, void *)
REAL(void, spawn_at, TBB("5spawn" TASK "RNS2_18task_group_contextEt"), struct task *, void *,
     unsigned short)
REAL(void, submit, TBB("6submit" TASK "RNS2_18task_group_contextEPNS1_5arenaEm"), struct task *,
     void *, void *, uintptr_t)
REAL(void, enqueue, TBB("7enqueue" TASK "PNS2_15task_arena_baseE"), struct task *, void *)
REAL(void, enqueue_in, TBB("7enqueue" TASK "RNS2_18task_group_contextEPNS2_15task_arena_baseE"),
     struct task *, void *, void *)

RT_EXPORT void spawn(struct task *task, void *context) {
    real_spawn()(hand_over(task, RT_CALLER), context);
}

RT_EXPORT void spawn_at(struct task *task, void *context, unsigned short slot) {
    real_spawn_at()(hand_over(task, RT_CALLER), context, slot);
}

RT_EXPORT void submit(struct task *task, void *context, void *arena, uintptr_t critical) {
    real_submit()(hand_over(task, RT_CALLER), context, arena, critical);
}

RT_EXPORT void enqueue(struct task *task, void *arena) {
    real_enqueue()(hand_over(task, RT_CALLER), arena);
}

RT_EXPORT void enqueue_in(struct task *task, void *context, void *arena) {
    real_enqueue_in()(hand_over(task, RT_CALLER), context, arena);
}

/* ---- waits ---- */

REAL(void, wait, TBB("4waitERNS0_2d112wait_contextERNS2_18task_group_contextE"), char *, void *)
REAL(void, execute_and_wait,
     TBB("16execute_and_wait" TASK "RNS2_18task_group_contextERNS2_12wait_contextES6_"),
     struct task *, void *, char *, void *)

/* The tasks count down the second word of what is waited for. */
enum { COUNT_AT = 8 };

struct waiting {
    char *context;
    uintptr_t caller;
};

static void end_wait(const struct waiting *waiting) {
    const char *count = waiting->context + COUNT_AT;
    RT_EMIT(rt_await_operation(count); rt_receive(count, ST_CHANNEL_LIBRARY, waiting->caller));
}

#define WAIT(context, caller)                                                                      \
    WORK;                                                                                          \
    __attribute__((unused, cleanup(end_wait))) struct waiting waiting = {context, caller}

RT_EXPORT void wait(char *waited_for, void *context) {
    WAIT(waited_for, RT_CALLER);
    real_wait()(waited_for, context);
}

RT_EXPORT void execute_and_wait(struct task *task, void *context, char *waited_for,
                                void *wait_context) {
    task = hand_over(task, RT_CALLER);
    WAIT(waited_for, RT_CALLER);
    real_execute_and_wait()(task, context, waited_for, wait_context);
}

/* ---- arenas ---- */

/* A delegate is an object with a virtual function, too. Another thread may call it, if this one
 * finds no place in the arena. */
struct delegate {
    const struct {
        bool (*call)(const struct delegate *);
        void (*destroy[2])(struct delegate *);
    } * table;
    const struct delegate *real;
    uintptr_t caller;
};

REAL(void, execute_in, TBB("7executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE"), void *,
     struct delegate *)

static void end_delegate(const struct delegate *const *delegate) {
    RT_EMIT(rt_send(*delegate, ST_CHANNEL_ARENA, (*delegate)->caller));
}

static bool call(const struct delegate *delegate) {
    RT_EMIT(rt_receive(delegate, ST_CHANNEL_SPAWN, delegate->caller));
    WORK;
    __attribute__((unused, cleanup(end_delegate))) const struct delegate *self = delegate;
    return self->real->table->call(self->real);
}

static void destroy_delegate(struct delegate *delegate) {
    (void)delegate;
}

static void end_execute(const struct delegate *delegate) {
    if (!rt_enter())
        return;
    rt_receive(delegate, ST_CHANNEL_ARENA, delegate->caller);
    rt_free(delegate, sizeof *delegate); /* the stack will hold others */
    rt_leave();
}

RT_EXPORT void execute_in(void *arena, struct delegate *real) {
    static const __typeof__(*real->table) delegates = {call, {destroy_delegate, destroy_delegate}};
    RT_EMIT(rt_split());
    WORK;
    __attribute__((unused, cleanup(end_execute))) struct delegate delegate = {
        (const void *)&delegates, real, RT_CALLER};
    RT_EMIT(rt_send(&delegate, ST_CHANNEL_SPAWN, RT_CALLER));
    real_execute_in()(arena, &delegate);
}

/* ---- memory ---- */

/* The library keeps memory for tasks, and its allocator is not the C library's. */
static void *fresh(void *memory, size_t size) {
    if (memory)
        RT_EMIT(rt_free(memory, size));
    return memory;
}

REAL(void *, allocate, TBB("8allocateERPNS0_2d117small_object_poolEm"), void *, size_t)
REAL(void *, allocate_in, TBB("8allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE"),
     void *, size_t, const void *)
REAL(void, deallocate, TBB("10deallocateERNS0_2d117small_object_poolEPvm"), void *, void *, size_t)
REAL(void, deallocate_in,
     TBB("10deallocateERNS0_2d117small_object_poolEPvmRKNS2_14execution_dataE"), void *, void *,
     size_t, const void *)
REAL(void *, allocate_memory, TBB("15allocate_memoryEm"), size_t)
REAL(void *, allocate_aligned, TBB("22cache_aligned_allocateEm"), size_t)

RT_EXPORT void *allocate(void *pool, size_t size) {
    return fresh(real_allocate()(pool, size), size);
}

RT_EXPORT void *allocate_in(void *pool, size_t size, const void *execution) {
    return fresh(real_allocate_in()(pool, size, execution), size);
}

RT_EXPORT void deallocate(void *pool, void *memory, size_t size) {
    real_deallocate()(pool, fresh(memory, size), size);
}

RT_EXPORT void deallocate_in(void *pool, void *memory, size_t size, const void *execution) {
    real_deallocate_in()(pool, fresh(memory, size), size, execution);
}

RT_EXPORT void *allocate_memory(size_t size) {
    return fresh(real_allocate_memory()(size), size);
}

RT_EXPORT void *allocate_aligned(size_t size) {
    return fresh(real_allocate_aligned()(size), size);
}
