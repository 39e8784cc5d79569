/* Calls the functions of an API from several threads, so that `seriatim run`, `predict` and `hunt`
 * have something to look at: the test driver of Wang and Stoller (TSE 2006, Figure 6), for C and
 * C++ (11 or later).
 *
 *     #include <seriatim/drive.h>
 *
 *     static void *make(void) { return queue_new(); }
 *     static void drop(void *queue) { queue_free(queue); }
 *     static void put(void *queue, void *other, unsigned number) { queue_put(queue, number); }
 *     static void append(void *queue, void *other, unsigned number) { queue_append(queue, other); }
 *
 *     static const struct seriatim_method methods[] = {{"put", put, 0}, {"append", append, 1}};
 *     static const struct seriatim_api api = {make, drop, NULL, methods, 2};
 *
 *     int main(int argc, char **argv) { return seriatim_drive(&api, argc, argv); }
 *
 * Build it with seriatim-cc, together with the API, and with -pthread. Then
 *
 *     ./driver                      each pair of methods, one after another, as below
 *     ./driver put append           one pair: two new objects, and two threads at once, which call
 *                                   put of the first object, and append of the first object
 *     ./driver --crossed put append put of the first, and append of the second. The other object is
 *                                   the argument of each
 *     ./driver --random 7 3 20      3 threads, with 20 random calls each, on the two objects
 *     ./driver --list               the pairs, a line for each, as words for another call
 *
 * Two methods that both take an object do not run crossed unless that is asked for: they would take
 * locks in opposite order. All is determined by the arguments, apart from what threads do.
 *
 * Exit status: 0, or 1 if an object is not as it should be afterwards, or 2 if the words make no
 * sense. Everything is in this file, so that it is instrumented as the program is. */
#ifndef SERIATIM_DRIVE_H
#define SERIATIM_DRIVE_H

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seriatim_method {
    const char *name;
    /* `other` is another object, for methods that take one; `number` is any number, the same in
     * each run. */
    void (*call)(void *object, void *other, unsigned number);
    int takes_other; /* it uses `other` */
};

struct seriatim_api {
    void *(*make)(void);        /* a new object, the same each time */
    void (*drop)(void *object); /* NULL: nothing is done with it */
    int (*is_good)(
        void *object); /* when no thread is left: is it as it should be? NULL: who knows */
    const struct seriatim_method *methods;
    size_t method_count;
};

/* ---- calls ---- */

struct seriatim_drive_thread {
    const struct seriatim_api *api;
    const struct seriatim_method *method; /* NULL: any of them, again and again */
    void *objects[2];
    unsigned seed, calls;
    pthread_t id;
};

static inline unsigned seriatim_drive_random(unsigned *state) {
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

/* Methods that take an object always get the second one then: locks are taken in one order. */
static inline void seriatim_drive_randomly(struct seriatim_drive_thread *thread) {
    const struct seriatim_api *api = thread->api;
    for (unsigned i = 0; i < thread->calls; i++) {
        unsigned chosen = seriatim_drive_random(&thread->seed);
        const struct seriatim_method *method = &api->methods[chosen % api->method_count];
        unsigned which = method->takes_other ? 0 : seriatim_drive_random(&thread->seed) % 2;
        method->call(thread->objects[which], thread->objects[1 - which],
                     seriatim_drive_random(&thread->seed));
    }
}

static inline void *seriatim_drive_start(void *argument) {
    struct seriatim_drive_thread *thread = (struct seriatim_drive_thread *)argument;
    if (thread->method)
        thread->method->call(thread->objects[0], thread->objects[1], thread->seed);
    else
        seriatim_drive_randomly(thread);
    return NULL;
}

/* Runs the threads, and looks at the objects. Returns an exit status. */
static inline int seriatim_drive_threads(const struct seriatim_api *api,
                                         struct seriatim_drive_thread *threads, size_t count,
                                         void *objects[2], const char *what) {
    int bad = 0;
    for (size_t i = 0; i < count; i++)
        if (pthread_create(&threads[i].id, NULL, seriatim_drive_start, &threads[i]) != 0) {
            fprintf(stderr, "drive: cannot create a thread\n");
            exit(2);
        }
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i].id, NULL);
    for (int i = 0; i < 2; i++) {
        if (api->is_good && !api->is_good(objects[i])) {
            fprintf(stderr, "drive: object %d is not as it should be after %s\n", i + 1, what);
            bad = 1;
        }
        if (api->drop)
            api->drop(objects[i]);
    }
    return bad;
}

/* ---- pairs ---- */

static inline int seriatim_drive_pair(const struct seriatim_api *api,
                                      const struct seriatim_method *first,
                                      const struct seriatim_method *second, int crossed) {
    void *objects[2] = {api->make(), api->make()};
    struct seriatim_drive_thread threads[2] = {
        {api, first, {objects[0], objects[1]}, 1, 1, 0},
        {api, second, {objects[crossed], objects[1 - crossed]}, 2, 1, 0}};
    char what[256];
    snprintf(what, sizeof what, "%s and %s%s", first->name, second->name,
             crossed ? ", crossed" : "");
    return seriatim_drive_threads(api, threads, 2, objects, what);
}

/* Crossed, a pair says more only if one of them uses the other's object; and two that do may end in
 * a deadlock. */
static inline int seriatim_drive_may_cross(const struct seriatim_method *first,
                                           const struct seriatim_method *second) {
    return first->takes_other != second->takes_other;
}

static inline int seriatim_drive_pairs(const struct seriatim_api *api, int list) {
    int bad = 0;
    for (size_t i = 0; i < api->method_count; i++)
        for (size_t j = 0; j < api->method_count; j++) {
            const struct seriatim_method *first = &api->methods[i], *second = &api->methods[j];
            int crosses = seriatim_drive_may_cross(first, second);
            if (list) {
                if (i <= j)
                    printf("%s %s\n", first->name, second->name);
                if (crosses)
                    printf("--crossed %s %s\n", first->name, second->name);
                continue;
            }
            if (i <= j)
                bad |= seriatim_drive_pair(api, first, second, 0);
            if (crosses)
                bad |= seriatim_drive_pair(api, first, second, 1);
        }
    return bad;
}

static inline const struct seriatim_method *seriatim_drive_find(const struct seriatim_api *api,
                                                                const char *name) {
    for (size_t i = 0; i < api->method_count; i++)
        if (strcmp(api->methods[i].name, name) == 0)
            return &api->methods[i];
    fprintf(stderr, "drive: there is no method '%s'\n", name);
    exit(2);
}

/* ---- random calls ---- */

static inline int seriatim_drive_any(const struct seriatim_api *api, unsigned seed, unsigned count,
                                     unsigned calls) {
    enum { SERIATIM_MOST_THREADS = 64 };
    struct seriatim_drive_thread threads[SERIATIM_MOST_THREADS];
    void *objects[2] = {api->make(), api->make()};
    if (count > SERIATIM_MOST_THREADS)
        count = SERIATIM_MOST_THREADS;
    for (unsigned i = 0; i < count; i++) {
        struct seriatim_drive_thread thread = {
            api, NULL, {objects[0], objects[1]}, seed * 64u + i, calls, 0};
        threads[i] = thread;
    }
    return seriatim_drive_threads(api, threads, count, objects, "random calls");
}

static inline int seriatim_drive_usage(const char *program) {
    fprintf(stderr,
            "usage: %s [--list | [--crossed] METHOD METHOD | --random SEED THREADS CALLS]\n",
            program);
    return 2;
}

static inline int seriatim_drive(const struct seriatim_api *api, int argc, char **argv) {
    int crossed = argc > 1 && strcmp(argv[1], "--crossed") == 0;
    if (argc == 1)
        return seriatim_drive_pairs(api, 0);
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return seriatim_drive_pairs(api, 1);
    if (argc == 5 && strcmp(argv[1], "--random") == 0)
        return seriatim_drive_any(api, (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]),
                                  (unsigned)atoi(argv[4]));
    if (argc != 3 + crossed || argv[1 + crossed][0] == '-')
        return seriatim_drive_usage(argv[0]);
    return seriatim_drive_pair(api, seriatim_drive_find(api, argv[1 + crossed]),
                               seriatim_drive_find(api, argv[2 + crossed]), crossed);
}

#endif
