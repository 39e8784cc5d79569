#include "predict/parallel.h"

#include "base/memory.h"
#include "predict/total_time.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct crew {
    atomic_size_t next;
    atomic_bool stopped;
    const struct st_total_time *total;
    size_t count;
    void (*work)(void *context, unsigned worker, size_t index);
    void *context;
};

struct worker {
    struct crew *crew;
    unsigned number;
    pthread_t thread;
};

static void *do_pieces(void *argument) {
    const struct worker *worker = argument;
    struct crew *crew = worker->crew;
    size_t index;
    while ((index = atomic_fetch_add(&crew->next, 1)) < crew->count) {
        if (st_total_time_is_up(crew->total)) {
            atomic_store(&crew->stopped, true);
            break;
        }
        crew->work(crew->context, worker->number, index);
    }
    return NULL;
}

bool st_parallel_until(const struct st_total_time *total, unsigned jobs, size_t count,
                       void (*work)(void *context, unsigned worker, size_t index), void *context) {
    struct crew crew = {.total = total, .count = count, .work = work, .context = context};
    unsigned started = 1;
    if (jobs > count)
        jobs = (unsigned)count;
    struct worker *workers = st_alloc(jobs ? jobs : 1, sizeof *workers);
    for (; started < jobs; started++) { /* the caller is worker 0 */
        workers[started] = (struct worker){.crew = &crew, .number = started};
        if (pthread_create(&workers[started].thread, NULL, do_pieces, &workers[started]) != 0)
            break; /* fewer will do */
    }
    workers[0] = (struct worker){.crew = &crew};
    do_pieces(&workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    free(workers);
    return !crew.stopped;
}

void st_parallel(unsigned jobs, size_t count,
                 void (*work)(void *context, unsigned worker, size_t index), void *context) {
    st_parallel_until(NULL, jobs, count, work, context);
}
