/* An engine: a value with a name and a few functions. It sees events, never files, and fills
 * findings.
 *
 * Events come validated (trace/validate.h) and in order; an engine ignores operations that it does
 * not know, ST_NESTED and ST_DROPPED among them. Thread, variable and lock numbers are dense, so
 * plain arrays that grow are the natural tables. */
#ifndef SERIATIM_CHECK_ENGINE_H
#define SERIATIM_CHECK_ENGINE_H

#include "finding/counters.h"
#include "finding/finding.h"

struct st_engine {
    const char *name;
    const char *summary; /* one line for --help */

    /* The name of the engine that answers the same question without the errors of this one; NULL
     * if this one has no known errors. */
    const char *published_form_of;

    /* findings outlive the engine's state and are filled as violations are found. */
    void *(*create)(struct st_findings *findings);

    /* Events in trace order; the first has that number. Never fails. */
    void (*feed)(void *state, const struct st_event *events, size_t count, uint64_t first);

    /* The life of this variable has ended: from now on the number stands for another one of the
     * same name, or for none. What was found keeps the number. */
    void (*forget)(void *state, uint32_t variable);

    /* No more events come; the trace may be truncated (open blocks). Sets findings->verdict. */
    void (*finish)(void *state, uint64_t events);

    /* Bytes of analysis state at this moment. */
    size_t (*memory)(const void *state);

    /* Adds what it has counted so far; NULL: it counts nothing. */
    void (*count)(const void *state, struct st_counters *counters);

    void (*destroy)(void *state);
};

/* For engines: the functions of a table, all but `create`, by the names that they have in the file
 * of an engine. */
#define ST_ENGINE_FUNCTIONS                                                                        \
    .feed = feed, .forget = forget, .finish = finish, .memory = memory, .count = count,            \
    .destroy = destroy

/* For engines: the trace has ended, and nothing was found, unless there is a verdict already. */
static inline void st_engine_finish(struct st_findings *findings) {
    if (findings->verdict != ST_NOT_SERIALIZABLE && !findings->gave_up)
        findings->verdict = ST_SERIALIZABLE;
}

/* All engines, ending with NULL, in the order in which tables show them. */
extern const struct st_engine *const st_engines[];

/* Others, ending with NULL, which `all` leaves out: modes of those above, and algorithms as they
 * were published, with their errors (check/published). */
extern const struct st_engine *const st_other_engines[];

/* The baseline for what engines cost: it takes the events and answers nothing. In no list. */
extern const struct st_engine st_empty;

/* The engine with that name in either list, or st_empty, or NULL. */
const struct st_engine *st_engine_find(const char *name);

/* ---- for engines: what to have room for before a batch is taken ---- */

/* One more than the largest number of each kind in the batch. */
struct st_extent {
    uint32_t threads, variables, locks;
};

/* Without branches, since a processor cannot predict which operation comes next. */
static inline struct st_extent st_batch_extent(const struct st_event *events, size_t count) {
    uint32_t threads = 0, variables = 0, locks = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t op = events[i].op, need = events[i].target + 1;
        uint32_t variable = op <= ST_WRITE ? need : 0;
        uint32_t lock = op - ST_ACQUIRE <= ST_RELEASE - ST_ACQUIRE ? need : 0;
        uint32_t child = op - ST_FORK <= ST_JOIN - ST_FORK ? need : 0;
        uint32_t thread = events[i].thread + 1;
        variables = variable > variables ? variable : variables;
        locks = lock > locks ? lock : locks;
        threads = thread > threads ? thread : threads;
        threads = child > threads ? child : threads;
    }
    return (struct st_extent){threads, variables, locks};
}

/* Prefetches the memory of a variable that is accessed a few events later. On 10^7 events over 10^5
 * variables this halves an engine's time. It does not check whether the event is an access: a
 * mispredicted branch costs more than a cache line that nobody needs. A batch has room for ST_AHEAD
 * events behind its last one. */
enum { ST_AHEAD = 24 };
#define st_batch_prefetch(events, i, count, variables)                                             \
    do {                                                                                           \
        size_t st_later_ = (i) + ST_AHEAD < (count) ? (i) + ST_AHEAD : (i);                        \
        __builtin_prefetch(&(variables)[(events)[st_later_].target], 1);                           \
    } while (0)

#endif
