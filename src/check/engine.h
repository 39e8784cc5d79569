/* An engine: a value with a name and five functions. It sees events, never files, and fills
 * findings.
 *
 * Events come validated (trace/validate.h) and in order; an engine ignores operations that it does
 * not know, ST_NESTED and ST_DROPPED among them. Thread, variable and lock numbers are dense, so
 * plain arrays that grow are the natural tables. */
#ifndef SERIATIM_CHECK_ENGINE_H
#define SERIATIM_CHECK_ENGINE_H

#include "finding/finding.h"

struct st_engine {
    const char *name;
    const char *summary; /* one line for --help */

    /* findings outlive the engine's state and are filled as violations are found. */
    void *(*create)(struct st_findings *findings);

    /* Events in trace order; the first has that number. Never fails. */
    void (*feed)(void *state, const struct st_event *events, size_t count, uint64_t first);

    /* What comes with this number from now on is another variable. NULL: the engine is for traces,
     * in which every variable has its own number. */
    void (*forget)(void *state, uint32_t variable);

    /* No more events come; the trace may be truncated (open blocks). Sets findings->verdict. */
    void (*finish)(void *state, uint64_t events);

    /* Bytes of analysis state at this moment. */
    size_t (*memory)(const void *state);

    void (*destroy)(void *state);
};

/* All engines, ending with NULL, in the order in which tables show them. */
extern const struct st_engine *const st_engines[];

/* The engine with that name, or NULL. */
const struct st_engine *st_engine_find(const char *name);

#endif
