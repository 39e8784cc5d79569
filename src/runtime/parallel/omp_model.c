#define _GNU_SOURCE
#include "runtime/parallel/omp_model.h"
#include "runtime/control/points.h"
#include "runtime/control/waiting.h"
#include "runtime/core/sync_events.h"
#include "runtime/parallel/sync_objects.h"

#include <dlfcn.h>

bool rt_ompt_is_active;

/* A runtime that was loaded with a plugin is not behind us in the list of modules. And a program
 * that was linked with --as-needed may need ours alone, for the names are all here. */
void *rt_real_omp(const char *name) {
    static const char *const gnu[] = {"libgomp.so.1", "libomp.so.5", "libiomp5.so", NULL};
    bool llvm = name[0] == '_';
    void *found = rt_real(name);
    for (const char *const *file = gnu + llvm; !found && *file; file++) {
        void *library = dlopen(*file, RTLD_LAZY | RTLD_NOLOAD);
        found = library ? dlsym(library, name) : NULL;
    }
    if (!found) {
        void *library = dlopen(gnu[llvm], RTLD_LAZY | RTLD_GLOBAL);
        found = library ? dlsym(library, name) : NULL;
    }
    rt_control_omp();
    return found;
}

/* ---- objects ---- */

/* Tasks that wait for the same taskwait: the children of one task. Both the task and the children
 * refer to it. */
struct family {
    struct rt_object object;
    bool waited; /* for all children so far, by the thread in the object */
};

struct group {
    struct rt_object object;
    struct group *outer;
    uint32_t pending; /* tasks that have not ended, in controlled runs of LLVM's runtime */
};

struct rt_team {
    struct rt_object object;
    uintptr_t caller;
    void *room[2];
    _Atomic(struct rt_task *) kept;
};

/* A dependence is the address of a variable and, above its 48 bits, an enum rt_dependence. */
enum { NEAR_DEPENDENCES = 4, FAR_DEPENDENCES = 12, KIND_AT = 48 };
struct dependences {
    struct rt_object object;
    uint64_t list[FAR_DEPENDENCES];
};

/* An explicit task, or the share of a member. */
struct rt_task {
    struct rt_object object;
    struct rt_team *team;          /* NULL: none */
    struct rt_task *below;         /* what its thread was at before it; also: kept before it */
    struct family *siblings;       /* the children of the task that created it; NULL for a member */
    struct family *children;       /* NULL: it has created none */
    struct group *group;           /* the innermost taskgroup that it is in, or has begun */
    struct group *joins;           /* the one that waits for it; NULL for a member */
    const struct rt_task *created; /* whose creation was its own: it or what it is a copy of */
    bool running;
    uint32_t phase; /* barriers that were passed */
    uint32_t dependence_count;
    uint64_t dependences[NEAR_DEPENDENCES];
    struct dependences *more; /* the rest, a list; the last of it comes first */
};

_Static_assert(sizeof(struct rt_task) <= RT_OBJECT_BYTES &&
                   sizeof(struct dependences) <= RT_OBJECT_BYTES,
               "all of these are objects");

static _Thread_local struct rt_task *current __attribute__((tls_model("initial-exec")));

static uint32_t this_thread(void) {
    return rt_thread_serial() + 1;
}

/* Who has the baton counts; nobody needs the numbers elsewhere. */
static bool is_counted(void) {
    return rt_controlled && rt_ompt_is_active;
}

static void leave_family(struct family *family) {
    if (family && atomic_fetch_sub(&family->object.references, 1) == 1)
        rt_object_release(&family->object, family->waited ? family->object.thread : 0);
}

static struct rt_task *free_task(struct rt_task *task, uint32_t thread) {
    struct rt_task *below = task->below;
    for (struct dependences *more = task->more, *next; more; more = next) {
        next = (struct dependences *)more->object.next;
        rt_object_release(&more->object, this_thread());
    }
    leave_family(task->siblings);
    leave_family(task->children);
    if (task->joins && is_counted())
        task->joins->pending--;
    rt_object_release(&task->object, thread);
    return below;
}

/* ---- detached tasks ---- */

/* Which task an event belongs to is not known here, so all waits come after all events. */
static char detached;
static _Atomic bool any_detached;

void rt_task_fulfill(uintptr_t caller) {
    atomic_store(&any_detached, true);
    RT_EMIT(rt_send(&detached, ST_CHANNEL_DETACHED, caller));
}

static void receive_detached(uintptr_t caller) {
    if (atomic_load_explicit(&any_detached, memory_order_relaxed))
        rt_receive(&detached, ST_CHANNEL_DETACHED, caller);
}

/* ---- regions ---- */

static unsigned barrier_channel(uint32_t phase) {
    return ST_CHANNEL_BARRIER + phase % 2;
}

struct rt_team *rt_team_fork(uintptr_t caller) {
    if (!rt_enter())
        return NULL;
    struct rt_team *team = rt_object_take();
    if (team) {
        team->caller = caller;
        rt_send(team, ST_CHANNEL_FORK, caller);
        rt_pause();
    }
    rt_leave();
    return team;
}

void rt_team_join(struct rt_team *team, uintptr_t caller) {
    if (!rt_enter())
        return;
    rt_receive(team, ST_CHANNEL_BARRIER, caller);
    rt_receive(team, ST_CHANNEL_BARRIER_ODD, caller);
    receive_detached(caller);
    rt_resume();
    for (struct rt_task *task = team->kept; task;)
        task = free_task(task, 0);
    rt_object_release(&team->object, this_thread());
    rt_leave();
}

struct rt_task *rt_member_begin(struct rt_team *team) {
    if (!rt_enter())
        return NULL;
    struct rt_task *member = rt_object_take();
    rt_receive(team, ST_CHANNEL_FORK, team->caller);
    rt_pause();
    if (member) {
        member->team = team;
        member->below = current;
        member->running = true;
        current = member;
    }
    rt_leave();
    return member;
}

/* Nothing is received on a member itself. */
void rt_member_leave(struct rt_task *member) {
    if (!member || !rt_enter())
        return;
    rt_resume();
    current = free_task(member, this_thread());
    rt_leave();
}

void rt_member_end(struct rt_task *member) {
    if (member)
        RT_EMIT(rt_send(member->team, barrier_channel(member->phase), member->team->caller));
    rt_member_leave(member);
}

struct rt_task *rt_task_current(void) {
    return current;
}

struct rt_team *rt_task_team(const struct rt_task *task) {
    return task->team;
}

void **rt_team_room(struct rt_team *team) {
    return team->room;
}

/* ---- waits of a team ---- */

/* Members pass the same barriers, so each of them knows which phase it is in; docs in barrier.c say
 * why phases take turns on two channels. Tasks that are created in a phase end in it. */
void rt_team_barrier_begin(uintptr_t caller) {
    rt_point(ST_POINT_BARRIER, current ? current->team : NULL, 1, caller);
    if (current && rt_enter()) {
        rt_send(current->team, barrier_channel(current->phase), caller);
        rt_pause();
        rt_leave();
    }
}

void rt_team_barrier_end(uintptr_t caller) {
    if (current && rt_enter()) {
        rt_receive(current->team, barrier_channel(current->phase++), caller);
        receive_detached(caller);
        rt_resume();
        rt_leave();
    }
}

void rt_team_barrier_leave(void) {
    if (current)
        RT_EMIT(rt_resume());
}

void rt_team_send(unsigned channel, uintptr_t caller) {
    if (current)
        RT_EMIT(rt_send(current->team, channel, caller));
}

void rt_team_receive(unsigned channel, uintptr_t caller) {
    if (current)
        RT_EMIT(rt_split(); rt_receive(current->team, channel, caller));
}

/* ---- waits for tasks, in controlled runs ---- */

/* So many tasks were created or have ended. Who waits for tasks blocks on it. */
static uint64_t task_progress;

static void note_progress(void) {
    if (!rt_controlled)
        return;
    task_progress++;
    rt_unblock(&task_progress);
}

static bool have_children_ended(void) {
    return !current || !current->children ||
           atomic_load(&current->children->object.references) <= 1;
}

static bool has_group_ended(void) {
    return !current || !current->group || current->group == current->joins ||
           !current->group->pending;
}

/* If nobody can go on, it is for the runtime to wait: it may know more than we do. */
void rt_await_tasks(enum rt_awaited_tasks which, void (*run_task)(void)) {
    if (!rt_takes_turns())
        return;
    bool (*ended)(void) = which == RT_CHILDREN ? have_children_ended : has_group_ended;
    while (!ended()) {
        uint64_t before = task_progress;
        run_task();
        if (ended() || task_progress != before)
            continue; /* there may be more to run */
        rt_block_until(&task_progress, 0, RT_FOREVER);
        if (task_progress == before)
            return;
    }
}

/* ---- tasks ---- */

/* A family that all were waited for may get more children. */
static struct family *children_of(struct rt_task *task) {
    if (!task->children)
        task->children = rt_object_take();
    if (task->children) {
        task->children->waited = false;
        atomic_fetch_add(&task->children->object.references, 1);
    }
    return task->children;
}

struct rt_task *rt_task_new(uintptr_t caller) {
    if (!current || !rt_enter())
        return NULL;
    struct rt_task *task = rt_object_take();
    if (task) {
        task->team = current->team;
        task->siblings = children_of(current);
        task->group = task->joins = current->group;
        task->phase = current->phase;
        task->created = task;
        task->object.thread = this_thread();
        if (task->joins && is_counted())
            task->joins->pending++;
        rt_send(task, ST_CHANNEL_TASK, caller);
    }
    rt_leave();
    note_progress();
    return task;
}

void rt_task_copied(const struct rt_task *task) {
    if (task)
        RT_EMIT(rt_send(task, ST_CHANNEL_TASK, task->team->caller));
}

struct rt_task *rt_task_copy(const struct rt_task *task) {
    if (!rt_enter())
        return NULL;
    struct rt_task *copy = rt_object_take();
    if (copy) {
        copy->team = task->team;
        copy->siblings = task->siblings;
        if (copy->siblings)
            atomic_fetch_add(&copy->siblings->object.references, 1);
        copy->group = copy->joins = task->joins;
        copy->phase = task->phase;
        copy->created = task;
        copy->object.thread = this_thread();
    }
    rt_leave();
    return copy;
}

void rt_task_drop(struct rt_task *task) {
    if (task)
        RT_EMIT(free_task(task, task->object.thread));
}

void rt_task_keep(struct rt_task *task) {
    if (!task)
        return;
    task->below = atomic_load(&task->team->kept);
    while (!atomic_compare_exchange_weak(&task->team->kept, &task->below, task))
        ;
}

/* ---- dependences ---- */

void rt_task_depend(struct rt_task *task, const void *variable, enum rt_dependence kind) {
    if (!task || !rt_enter())
        return;
    uint64_t dependence = (uintptr_t)variable | (uint64_t)kind << KIND_AT;
    uint32_t n = task->dependence_count;
    if (n < NEAR_DEPENDENCES) {
        task->dependences[n] = dependence;
        task->dependence_count++;
    } else {
        uint32_t at = (n - NEAR_DEPENDENCES) % FAR_DEPENDENCES;
        struct dependences *more = at ? task->more : rt_object_take();
        if (more) {
            if (!at) {
                more->object.next = task->more ? &task->more->object : NULL;
                task->more = more;
            }
            more->list[at] = dependence;
            task->dependence_count++;
        }
    }
    rt_leave();
}

typedef void on_dependence(const void *variable, enum rt_dependence kind, uintptr_t caller);

static void for_dependence(uint64_t dependence, on_dependence *visit, uintptr_t caller) {
    uint64_t address = dependence & ((UINT64_C(1) << KIND_AT) - 1);
    visit((const void *)address, (enum rt_dependence)(dependence >> KIND_AT), caller);
}

static void for_dependences(const struct rt_task *task, on_dependence *visit, uintptr_t caller) {
    uint32_t left = task->dependence_count;
    const struct dependences *more = task->more;
    for (; left > NEAR_DEPENDENCES; more = (struct dependences *)more->object.next)
        do
            for_dependence(more->list[(--left - NEAR_DEPENDENCES) % FAR_DEPENDENCES], visit,
                           caller);
        while ((left - NEAR_DEPENDENCES) % FAR_DEPENDENCES);
    while (left)
        for_dependence(task->dependences[--left], visit, caller);
}

static void receive_dependence(const void *variable, enum rt_dependence kind, uintptr_t caller) {
    rt_receive(variable, ST_CHANNEL_WRITERS, caller);
    if (kind == RT_DEPENDS_OUT)
        rt_receive(variable, ST_CHANNEL_READERS, caller);
}

static void send_dependence(const void *variable, enum rt_dependence kind, uintptr_t caller) {
    rt_send(variable, kind == RT_DEPENDS_OUT ? ST_CHANNEL_WRITERS : ST_CHANNEL_READERS, caller);
}

void rt_task_await_dependences(const struct rt_task *task, uintptr_t caller) {
    if (task)
        RT_EMIT(for_dependences(task, receive_dependence, caller); receive_detached(caller));
}

/* ---- the body of a task ---- */

static void put_on_stack(struct rt_task *task) {
    task->below = current;
    task->running = true;
    current = task;
}

bool rt_task_is_running(const struct rt_task *task) {
    return task->running;
}

/* What a task does when nobody knows who created it is work of its own all the same. */
void rt_task_begin(struct rt_task *task) {
    if (!rt_enter())
        return;
    if (task) {
        uintptr_t caller = task->team->caller;
        rt_receive(task->created, ST_CHANNEL_TASK, caller);
        for_dependences(task, receive_dependence, caller);
        if (task->dependence_count)
            receive_detached(caller);
        put_on_stack(task);
    }
    rt_pause();
    rt_leave();
}

void rt_task_end(struct rt_task *task) {
    if (!rt_enter())
        return;
    if (task) {
        uintptr_t caller = task->team->caller;
        for_dependences(task, send_dependence, caller);
        if (task->siblings)
            rt_send(task->siblings, ST_CHANNEL_TASKWAIT, caller);
        if (task->joins)
            rt_send(task->joins, ST_CHANNEL_TASKGROUP, caller);
        rt_send(task->team, barrier_channel(task->phase), caller);
        current = free_task(task, task->object.thread);
    }
    rt_resume();
    rt_leave();
    note_progress();
}

void rt_task_suspend(struct rt_task *task) {
    if (!rt_enter())
        return;
    rt_send(task, ST_CHANNEL_TASK, task->team->caller);
    task->object.thread = 0; /* two threads have sent */
    current = task->below;
    task->running = false;
    rt_resume();
    rt_leave();
}

void rt_work_pause(void) {
    RT_EMIT(rt_pause());
}

void rt_work_resume(void) {
    RT_EMIT(rt_resume());
}

void rt_taskwait_end(uintptr_t caller) {
    if (!rt_enter())
        return;
    if (current && current->children) {
        rt_receive(current->children, ST_CHANNEL_TASKWAIT, caller);
        current->children->waited = true;
        current->children->object.thread = this_thread();
    }
    receive_detached(caller);
    rt_resume();
    rt_leave();
}

void rt_taskgroup_begin(void) {
    if (!current || !rt_enter())
        return;
    struct group *group = rt_object_take();
    if (group) {
        group->outer = current->group;
        current->group = group;
    }
    rt_leave();
}

void rt_taskgroup_end(uintptr_t caller) {
    if (!rt_enter())
        return;
    struct group *group = current ? current->group : NULL;
    if (group && group != current->joins) {
        rt_receive(group, ST_CHANNEL_TASKGROUP, caller);
        current->group = group->outer;
        rt_object_release(&group->object, this_thread());
    }
    receive_detached(caller);
    rt_resume();
    rt_leave();
}
