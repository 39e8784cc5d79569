/* LLVM's OpenMP runtime says what it does through the tools interface of OpenMP (OMPT), if a
 * program has a function ompt_start_tool. What the interface lacks is interposed (omp_llvm.c).
 *
 * The declarations are those of OpenMP 5.1, section 4: neither the build nor the library needs
 * anything of the runtime. */
#define _GNU_SOURCE
#include "runtime/core/memory_events.h"
#include "runtime/parallel/omp_model.h"

union data {
    uint64_t value;
    void *pointer;
};

enum callback {
    ON_PARALLEL_BEGIN = 3,
    ON_PARALLEL_END = 4,
    ON_TASK_CREATE = 5,
    ON_TASK_SCHEDULE = 6,
    ON_IMPLICIT_TASK = 7,
    ON_SYNC_REGION_WAIT = 16,
    ON_DEPENDENCES = 18,
    ON_SYNC_REGION = 23
};

enum endpoint { BEGIN = 1, END = 2 };

enum sync_region { TASKWAIT = 5, TASKGROUP = 6, REDUCTION = 7 }; /* the others are barriers */

enum task_flag { INITIAL = 1, AWAITS_DEPENDENCES = 16 };

enum task_status {
    COMPLETE = 1,
    CANCELLED = 3,
    DETACHED = 4,
    EARLY_FULFILL = 5,
    LATE_FULFILL = 6,
    WAIT_COMPLETE = 8
};

/* A task that was created outside all regions has no order of its own, but is known. */
static char unordered_task;

static struct rt_task *task_of(const union data *data) {
    return data && data->pointer != &unordered_task ? data->pointer : NULL;
}

/* ---- regions ---- */

static void on_parallel_begin(union data *task, const void *frame, union data *parallel,
                              unsigned threads, int flags, const void *caller) {
    (void)task, (void)frame, (void)threads, (void)flags;
    parallel->pointer = rt_team_fork((uintptr_t)caller);
}

static void on_parallel_end(union data *parallel, union data *task, int flags, const void *caller) {
    (void)task, (void)flags;
    if (parallel->pointer)
        rt_team_join(parallel->pointer, (uintptr_t)caller);
    parallel->pointer = NULL;
}

/* A member of the team ends when its thread is needed for another; it did nothing in between. The
 * thread that began the region goes on without a wait. */
static void on_implicit_task(enum endpoint endpoint, union data *parallel, union data *task,
                             unsigned threads, unsigned index, int flags) {
    (void)threads, (void)index;
    if (flags & INITIAL)
        return;
    if (endpoint == BEGIN)
        task->pointer = parallel && parallel->pointer ? rt_member_begin(parallel->pointer) : NULL;
    else if (endpoint == END)
        rt_member_leave(task->pointer);
}

/* ---- waits ---- */

static void at_barrier(enum endpoint endpoint, const union data *parallel, uintptr_t caller) {
    if (endpoint == BEGIN) {
        rt_reduction_end();
        rt_team_barrier_begin(caller);
    } else if (parallel) {
        rt_team_barrier_end(caller);
    } else {
        rt_team_barrier_leave(); /* that at the end of a region, likewise late */
    }
}

static void on_sync_region(enum sync_region kind, enum endpoint endpoint, union data *parallel,
                           union data *task, const void *code) {
    uintptr_t caller = (uintptr_t)code;
    (void)task;
    if (kind == REDUCTION || (endpoint != BEGIN && endpoint != END))
        return;
    if (kind == TASKGROUP) {
        if (endpoint == BEGIN) {
            rt_taskgroup_begin();
        } else {
            rt_work_pause();
            rt_taskgroup_end(caller);
        }
    } else if (kind == TASKWAIT) {
        if (endpoint == BEGIN)
            rt_work_pause();
        else
            rt_taskwait_end(caller);
    } else {
        at_barrier(endpoint, parallel, caller);
    }
}

RT_REAL_FROM(rt_real_omp, int, __kmpc_global_thread_num, void *)
RT_REAL_FROM(rt_real_omp, int, __kmpc_omp_taskyield, void *, int, int)

static void run_task(void) {
    if (real___kmpc_global_thread_num() && real___kmpc_omp_taskyield())
        real___kmpc_omp_taskyield()(NULL, real___kmpc_global_thread_num()(NULL), 0);
}

/* A taskgroup begins long before it waits for its tasks. */
static void on_sync_region_wait(enum sync_region kind, enum endpoint endpoint, union data *parallel,
                                union data *task, const void *code) {
    (void)parallel, (void)task, (void)code;
    if (kind == TASKGROUP && endpoint == BEGIN)
        rt_work_pause();
    if (endpoint == BEGIN && (kind == TASKGROUP || kind == TASKWAIT))
        rt_await_tasks(kind == TASKGROUP ? RT_GROUP : RT_CHILDREN, run_task);
    if (kind == TASKGROUP && endpoint == END)
        rt_work_resume();
}

/* ---- tasks ---- */

static void on_task_create(union data *creator, const void *frame, union data *task, int flags,
                           int has_dependences, const void *code) {
    (void)creator, (void)frame, (void)has_dependences;
    if (flags & INITIAL)
        return;
    task->pointer = rt_task_new((uintptr_t)code);
    if (!task->pointer)
        task->pointer = &unordered_task;
    if (!(flags & AWAITS_DEPENDENCES)) {
        rt_work_pause();
        rt_work_resume();
    }
}

struct dependence {
    union data variable;
    int kind;
};

enum { DEPENDS_IN = 1, DEPENDS_SOURCE = 5, DEPENDS_SINK = 6 };

static void on_dependences(union data *task, const struct dependence *list, int count) {
    for (int i = 0; i < count; i++)
        if (list[i].kind != DEPENDS_SOURCE && list[i].kind != DEPENDS_SINK)
            rt_task_depend(task_of(task), list[i].variable.pointer,
                           list[i].kind == DEPENDS_IN ? RT_DEPENDS_IN : RT_DEPENDS_OUT);
}

/* The runtime keeps the memory of tasks that have ended for others, without a call that we could
 * see. It holds copies of the program's data, and the place from which they are shared. */
static int (*get_task_memory)(void **memory, size_t *size, int block);

static void forget_task_memory(void) {
    void *memory = NULL;
    size_t size = 0;
    if (!get_task_memory)
        return;
    get_task_memory(&memory, &size, 0); /* there is only one block, and the result is no help */
    if (memory)
        RT_EMIT(rt_free(memory, size));
}

/* The thread turns to a task that it begins or continues, or goes back to one that waits on its
 * stack. */
static void go_to(union data *prior, union data *next) {
    struct rt_task *task = task_of(next);
    if (next->pointer == &unordered_task) {
        rt_task_begin(NULL);
    } else if (task && !rt_task_is_running(task)) {
        rt_task_begin(task);
    } else if (task_of(prior) && prior->pointer != next->pointer) {
        rt_task_suspend(task_of(prior));
    }
}

static void on_task_schedule(union data *prior, enum task_status status, union data *next) {
    switch (status) {
    case COMPLETE:
    case CANCELLED:
    case DETACHED:
        forget_task_memory();
        if (prior->pointer)
            rt_task_end(task_of(prior));
        prior->pointer = NULL;
        break;
    case WAIT_COMPLETE:
        if (task_of(prior)) {
            rt_work_pause();
            rt_task_await_dependences(task_of(prior), 0);
            rt_work_resume();
            rt_task_drop(task_of(prior));
        }
        prior->pointer = NULL;
        break;
    case EARLY_FULFILL:
    case LATE_FULFILL:
        break;
    default:
        if (next)
            go_to(prior, next);
    }
}

/* ---- the tool ---- */

typedef void (*callback_code)(void);
typedef int set_callback(enum callback, callback_code);
typedef callback_code look_up(const char *name);

struct tool {
    int (*initialize)(look_up *, int device, union data *);
    void (*finalize)(union data *);
    union data data;
};

static int initialize(look_up *find, int device, union data *data) {
    static const struct {
        enum callback event;
        callback_code code;
    } callbacks[] = {{ON_PARALLEL_BEGIN, (callback_code)on_parallel_begin},
                     {ON_PARALLEL_END, (callback_code)on_parallel_end},
                     {ON_IMPLICIT_TASK, (callback_code)on_implicit_task},
                     {ON_SYNC_REGION, (callback_code)on_sync_region},
                     {ON_SYNC_REGION_WAIT, (callback_code)on_sync_region_wait},
                     {ON_TASK_CREATE, (callback_code)on_task_create},
                     {ON_TASK_SCHEDULE, (callback_code)on_task_schedule},
                     {ON_DEPENDENCES, (callback_code)on_dependences}};
    (void)device, (void)data;
    set_callback *set = (set_callback *)find("ompt_set_callback");
    if (!set)
        return 0;
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
        set(callbacks[i].event, callbacks[i].code);
    get_task_memory = (int (*)(void **, size_t *, int))find("ompt_get_task_memory");
    rt_ompt_is_active = true;
    rt_control_omp();
    return 1;
}

static void finalize(union data *data) {
    (void)data;
}

RT_EXPORT struct tool *ompt_start_tool(unsigned version, const char *runtime);
RT_EXPORT struct tool *ompt_start_tool(unsigned version, const char *runtime) {
    static struct tool tool = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    if (!rt_enter())
        return NULL; /* nobody is listening */
    rt_leave();
    return &tool;
}
