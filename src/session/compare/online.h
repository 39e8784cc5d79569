/* Programs × engines while the programs run: what it costs to watch and check them, compared with
 * the programs alone. Each run has a process of its own, so that none adds to the memory of
 * another.
 *
 *     st_online_init(&online, engines, count);
 *     ... for each program ... st_online_add(&online, &program, &error)
 *     ... online.rows[i].native, online.rows[i].cells[j] ...
 *     st_online_free(&online);
 */
#ifndef SERIATIM_SESSION_COMPARE_ONLINE_H
#define SERIATIM_SESSION_COMPARE_ONLINE_H

#include "base/error.h"
#include "check/engine.h"
#include "session/java/java_program.h"
#include "trace/relation.h"

/* A program as it runs by itself, or under one engine. Costs are means over its runs. */
struct st_online_cell {
    const struct st_engine *engine; /* NULL: by itself */
    uint64_t runs;
    bool timed_out;  /* a run did; then there are no means */
    double seconds;  /* of processor time: the program, and who watches it */
    double elapsed;  /* on the clock */
    double bytes;    /* most resident memory: of the program, and of who watches it */
    double analysis; /* seconds of processor time in the engine alone */
    double state;    /* peak bytes of its state */
    double events, threads;
    uint64_t bad; /* runs that were not serializable */
    bool answers, names_blocks;
    double distinct, dynamic; /* violated outermost blocks: their names, and all */
};

struct st_online_row {
    char *name;
    struct st_online_cell native;
    struct st_online_cell *cells; /* as many as engines, in their order */
};

struct st_online {
    const struct st_engine *const *engines;
    size_t engine_count;
    struct st_online_row *rows;
    size_t row_count, row_capacity;
};

struct st_online_program {
    const char *name;
    const char *const *words;           /* the program and its arguments; ends with NULL */
    const char *const *native;          /* the same without instrumentation, or equal to `words` */
    const struct st_java_options *java; /* what to watch, if it is a Java program */
    const char *spec;                   /* a file, or NULL */
    enum st_relation relation;
    uint64_t runs;
    double timeout; /* of a run, on the clock; 0: none */
};

/* The list of engines must outlive it. */
void st_online_init(struct st_online *online, const struct st_engine *const *engines, size_t count);
void st_online_free(struct st_online *online);

/* Runs the program by itself and with each engine, in turns, so that what else the machine does is
 * shared by all. What the program prints goes to standard error. */
int st_online_add(struct st_online *online, const struct st_online_program *program,
                  struct st_error *error);

/* The cell of an engine in a row, or NULL. */
const struct st_online_cell *st_online_cell_of(const struct st_online *online,
                                               const struct st_online_row *row, const char *engine);

#endif
