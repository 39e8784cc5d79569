/* Tasks of the GNU OpenMP runtime.
 *
 * A task is a function and a copy of its data, made when it is created. We put our function in
 * place of it, and our own data around the data: the runtime copies both. It also reads and writes
 * the first words of the data of some tasks, which therefore come first in ours, too.
 *
 * The copy is made after the task was announced to the watcher, and before it can begin: nothing
 * orders the two. So to the task its data are new. */
#define _GNU_SOURCE
#include "runtime/core/memory_events.h"
#include "runtime/parallel/omp_model.h"

typedef void code(void *);
typedef void copy_code(void *, void *);

#define REAL(result, name, ...) RT_REAL_FROM(rt_real_omp, result, name, __VA_ARGS__)

REAL(void, GOMP_task, code *, void *, copy_code *, long, long, bool, unsigned, void **, int, void *)
REAL(void, GOMP_taskloop, code *, void *, copy_code *, long, long, unsigned, unsigned long, int,
     long, long, long)
REAL(void, GOMP_taskloop_ull, code *, void *, copy_code *, long, long, unsigned, unsigned long, int,
     unsigned long long, unsigned long long, unsigned long long)
REAL(void, GOMP_taskwait, void)
REAL(void, GOMP_taskwait_depend, void **)
REAL(void, GOMP_taskyield, void)
REAL(void, GOMP_taskgroup_start, void)
REAL(void, GOMP_taskgroup_end, void)
REAL(void, omp_fulfill_event, uintptr_t)

/* Flags of the runtime. */
enum { DEPENDS = 1 << 3, NO_GROUP = 1 << 11, REDUCES = 1 << 12, DETACHES = 1 << 13 };

/* Is this thread watched, and the runtime the GNU one? */
static bool is_ours(void) {
    if (rt_ompt_is_active || !rt_enter())
        return false;
    rt_leave();
    return true;
}

/* In front of the data of a task. */
struct packet {
    uintptr_t first_words[3]; /* a range of iterations, or an event; reductions */
    uint32_t words_set;       /* so many of them the runtime sets */
    bool many;                /* copies of this packet are tasks of their own */
    code *body;
    copy_code *copier;
    void *original; /* the data from which the copier copies */
    long offset;    /* of the data, from the start of the packet */
    long size;      /* of both */
    struct rt_task *task;
};

static void set_words(const struct packet *packet, void *data) {
    for (uint32_t i = 0; i < packet->words_set; i++)
        ((uintptr_t *)data)[i] = packet->first_words[i];
}

static void run_task(void *argument) {
    struct packet *packet = argument;
    struct rt_task *task = packet->task;
    if (task && packet->many)
        task = rt_task_copy(task);
    void *data = (char *)packet + packet->offset;
    set_words(packet, data);
    rt_task_begin(task);
    RT_EMIT(rt_free(packet, (size_t)packet->size));
    packet->body(data);
    rt_task_end(task);
}

static void copy_packet(void *to, void *from) {
    struct packet *packet = to;
    *packet = *(struct packet *)from;
    set_words(packet, packet->original);
    packet->copier((char *)packet + packet->offset, packet->original);
    rt_task_copied(packet->task);
}

/* The size of a packet with its data, which are aligned as the task wants it. */
static long packet_size(struct packet *packet, long data_size, long *alignment) {
    if (*alignment < (long)_Alignof(struct packet))
        *alignment = _Alignof(struct packet);
    packet->offset = ((long)sizeof *packet + *alignment - 1) & -*alignment;
    return packet->size = packet->offset + data_size;
}

/* The packet in `room`, which has as many bytes as it needs and those for its alignment. The data
 * are copied without an event: their own copy, to which the runtime copies this, is one. */
static struct packet *place_packet(char *room, const struct packet *packet, long data_size,
                                   long alignment) {
    struct packet *placed =
        (struct packet *)(((uintptr_t)room + (uintptr_t)alignment - 1) & -(uintptr_t)alignment);
    *placed = *packet;
    if (packet->copier)
        return placed;
    char *to = (char *)placed + packet->offset;
    const char *from = packet->original;
    for (long i = 0; i < data_size; i++)
        to[i] = from[i];
    return placed;
}

/* ---- dependences ---- */

/* The runtime's own kinds of dependences, in objects of type omp_depend_t. */
enum { KIND_IN = 1 };

/* An array in one of two forms: how many there are, how many of them are out or inout, and then
 * their addresses; or 0, how many there are, how many are out or inout, mutexinoutset and in,
 * and then addresses; those that remain are of omp_depend_t. For the runtime mutexinoutset is out.
 */
static void note_dependences(struct rt_task *task, void **depend) {
    uintptr_t count = (uintptr_t)depend[0], first = 2, writers = (uintptr_t)depend[1];
    uintptr_t plain = count;
    if (!count) {
        count = (uintptr_t)depend[1];
        first = 5;
        writers = (uintptr_t)depend[2] + (uintptr_t)depend[3];
        plain = writers + (uintptr_t)depend[4];
    }
    for (uintptr_t i = 0; i < count; i++) {
        void **object = depend[first + i];
        if (i < plain)
            rt_task_depend(task, object, i < writers ? RT_DEPENDS_OUT : RT_DEPENDS_IN);
        else
            rt_task_depend(task, object[0],
                           (uintptr_t)object[1] == KIND_IN ? RT_DEPENDS_IN : RT_DEPENDS_OUT);
    }
}

/* ---- creation ---- */

RT_EXPORT void GOMP_task(code *body, void *data, copy_code *copier, long size, long alignment,
                         bool deferred, unsigned flags, void **depend, int priority, void *detach);
RT_EXPORT void GOMP_task(code *body, void *data, copy_code *copier, long size, long alignment,
                         bool deferred, unsigned flags, void **depend, int priority, void *detach) {
    if (!is_ours()) {
        real_GOMP_task()(body, data, copier, size, alignment, deferred, flags, depend, priority,
                         detach);
        return;
    }
    struct packet packet = {.body = body,
                            .copier = copier,
                            .original = data,
                            .words_set = flags & DETACHES ? 1 : 0,
                            .task = rt_task_new(RT_CALLER)};
    if (flags & DEPENDS)
        note_dependences(packet.task, depend);
    long whole = packet_size(&packet, size, &alignment);
    char room[whole + alignment];
    rt_work_pause();
    real_GOMP_task()(run_task, place_packet(room, &packet, size, alignment),
                     copier ? copy_packet : NULL, whole, alignment, deferred, flags, depend,
                     priority, detach);
    rt_work_resume();
}

/* Before the tasks of a loop. */
static struct packet loop_packet(code *body, void *data, copy_code *copier, unsigned flags,
                                 uintptr_t caller) {
    if (!(flags & NO_GROUP))
        rt_taskgroup_begin();
    const uintptr_t *words = data;
    return (struct packet){.first_words = {0, 0, flags & REDUCES ? words[2] : 0},
                           .words_set = 2,
                           .many = true,
                           .body = body,
                           .copier = copier,
                           .original = data,
                           .task = rt_task_new(caller)};
}

static void end_loop(const struct packet *packet, unsigned flags, uintptr_t caller) {
    if (flags & NO_GROUP) {
        rt_task_keep(packet->task);
        rt_work_resume();
    } else {
        rt_taskgroup_end(caller);
        rt_task_drop(packet->task);
    }
}

#define TASKLOOP(name, type)                                                                       \
    RT_EXPORT void name(code *body, void *data, copy_code *copier, long size, long alignment,      \
                        unsigned flags, unsigned long tasks, int priority, type start, type end,   \
                        type step);                                                                \
    RT_EXPORT void name(code *body, void *data, copy_code *copier, long size, long alignment,      \
                        unsigned flags, unsigned long tasks, int priority, type start, type end,   \
                        type step) {                                                               \
        if (!is_ours()) {                                                                          \
            real_##name()(body, data, copier, size, alignment, flags, tasks, priority, start, end, \
                          step);                                                                   \
            return;                                                                                \
        }                                                                                          \
        struct packet packet = loop_packet(body, data, copier, flags, RT_CALLER);                  \
        long whole = packet_size(&packet, size, &alignment);                                       \
        char room[whole + alignment];                                                              \
        rt_work_pause();                                                                           \
        real_##name()(run_task, place_packet(room, &packet, size, alignment),                      \
                      copier ? copy_packet : NULL, whole, alignment, flags, tasks, priority,       \
                      start, end, step);                                                           \
        end_loop(&packet, flags, RT_CALLER);                                                       \
    }

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

/* ---- waits ---- */

RT_EXPORT void GOMP_taskwait(void);
RT_EXPORT void GOMP_taskwait(void) {
    if (rt_ompt_is_active) {
        real_GOMP_taskwait()();
        return;
    }
    rt_work_pause();
    real_GOMP_taskwait()();
    rt_taskwait_end(RT_CALLER);
}

RT_EXPORT void GOMP_taskwait_depend(void **depend);
RT_EXPORT void GOMP_taskwait_depend(void **depend) {
    struct rt_task *wait = rt_ompt_is_active ? NULL : rt_task_new(RT_CALLER);
    if (!wait) {
        real_GOMP_taskwait_depend()(depend);
        return;
    }
    note_dependences(wait, depend);
    rt_work_pause();
    real_GOMP_taskwait_depend()(depend);
    rt_task_await_dependences(wait, RT_CALLER);
    rt_work_resume();
    rt_task_drop(wait);
}

RT_EXPORT void GOMP_taskyield(void);
RT_EXPORT void GOMP_taskyield(void) {
    if (!rt_ompt_is_active)
        rt_work_pause();
    real_GOMP_taskyield()();
    if (!rt_ompt_is_active)
        rt_work_resume();
}

RT_EXPORT void GOMP_taskgroup_start(void);
RT_EXPORT void GOMP_taskgroup_start(void) {
    if (!rt_ompt_is_active)
        rt_taskgroup_begin();
    real_GOMP_taskgroup_start()();
}

RT_EXPORT void GOMP_taskgroup_end(void);
RT_EXPORT void GOMP_taskgroup_end(void) {
    if (rt_ompt_is_active) {
        real_GOMP_taskgroup_end()();
        return;
    }
    rt_work_pause();
    real_GOMP_taskgroup_end()();
    rt_taskgroup_end(RT_CALLER);
}

RT_EXPORT void omp_fulfill_event(uintptr_t event);
RT_EXPORT void omp_fulfill_event(uintptr_t event) {
    rt_task_fulfill(RT_CALLER);
    real_omp_fulfill_event()(event);
}
