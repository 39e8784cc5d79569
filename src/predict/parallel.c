#include "predict/parallel.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct crew {
    void (*work)(void *context, size_t index);
    void *context;
    size_t count;
    atomic_size_t next;
};

static void *take_turns(void *argument) {
    struct crew *crew = argument;
    size_t i;
    while ((i = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed)) < crew->count)
        crew->work(crew->context, i);
    return NULL;
}

/* A thread that cannot be started is no trouble: the others do its work. */
void st_parallel(unsigned jobs, size_t count, void (*work)(void *context, size_t index),
                 void *context) {
    struct crew crew = {.work = work, .context = context, .count = count};
    size_t helpers = jobs > 1 ? jobs - 1 : 0, started = 0;
    if (count == 0)
        return;
    if (helpers >= count)
        helpers = count - 1;
    pthread_t *threads = st_alloc(helpers + 1, sizeof *threads);
    while (started < helpers && !pthread_create(&threads[started], NULL, take_turns, &crew))
        started++;
    take_turns(&crew);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}
