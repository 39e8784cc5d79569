/* What the analyses of TSE 2006 store, and how much of a run is about memory that has not escaped:
 * the paper's Table 4 for a trace.
 *
 * The sizes of locksets are those of sets as the paper keeps them, each at its largest, from the
 * first access of a second thread on: for the multilockset algorithm the locks in ReadSets and in
 * WriteSet and the thread periods that read and that wrote, for Eraser the one lockset. (Our own
 * search keeps less: predict/reduction/lockset_races.c.) */
#include "base/map64.h"
#include "base/memory.h"
#include "predict/reduction/reduction.h"

#include <stdlib.h>

/* The sets of one variable. Until a second thread comes, only who was first. */
struct sets {
    uint32_t first; /* the thread, plus 1 */
    bool escaped;
    uint32_t *reads; /* minimal locksets of reads */
    size_t read_count, read_capacity;
    uint32_t write_set, eraser_set; /* plus 1; 0: none yet */
    struct st_set64 readers, writers;
    uint64_t reader_count, writer_count;
    uint64_t most_reads, most_writes, most_eraser; /* locks */
};

struct sizes {
    struct st_model *model;
    struct sets *variables;
    size_t capacity;
};

static void *create(struct st_model *model, unsigned flags) {
    struct sizes *sizes = st_alloc(1, sizeof *sizes);
    (void)flags;
    sizes->model = model;
    return sizes;
}

static void destroy(void *state) {
    struct sizes *sizes = state;
    for (size_t i = 0; i < sizes->capacity; i++) {
        free(sizes->variables[i].reads);
        st_set64_free(&sizes->variables[i].readers);
        st_set64_free(&sizes->variables[i].writers);
    }
    free(sizes->variables);
    free(sizes);
}

static void keep_largest(uint64_t *most, uint64_t size) {
    if (size > *most)
        *most = size;
}

/* Keeps those that are not above another. */
static void add_read(struct sets *sets, const struct st_locksets *locksets, uint32_t held) {
    size_t kept = 0;
    uint64_t size = 0;
    for (size_t i = 0; i < sets->read_count; i++)
        if (st_lockset_within(locksets, sets->reads[i], held))
            return;
    for (size_t i = 0; i < sets->read_count; i++)
        if (!st_lockset_within(locksets, held, sets->reads[i]))
            sets->reads[kept++] = sets->reads[i];
    st_reserve(&sets->reads, &sets->read_capacity, kept + 1);
    sets->reads[kept] = held;
    sets->read_count = kept + 1;
    for (size_t i = 0; i < sets->read_count; i++)
        size += st_lockset_size(locksets, sets->reads[i]);
    keep_largest(&sets->most_reads, size);
}

static void intersect(struct st_locksets *locksets, uint32_t *set, uint32_t held, uint64_t *most) {
    *set = 1 + (*set ? st_lockset_common(locksets, *set - 1, held) : held);
    keep_largest(most, st_lockset_size(locksets, *set - 1));
}

static void on_event(void *state, const struct st_observed *observed) {
    struct sizes *sizes = state;
    const struct st_event *event = observed->event;
    struct st_locksets *locksets = &sizes->model->locksets;
    if (event->op > ST_WRITE)
        return;
    st_reserve(&sizes->variables, &sizes->capacity, (size_t)event->target + 1);
    struct sets *sets = &sizes->variables[event->target];
    if (!sets->first)
        sets->first = event->thread + 1;
    sets->escaped |= sets->first != event->thread + 1;
    if (!sets->escaped)
        return;
    intersect(locksets, &sets->eraser_set, observed->held_set, &sets->most_eraser);
    if (event->op == ST_WRITE) {
        intersect(locksets, &sets->write_set, observed->held_set, &sets->most_writes);
        sets->writer_count += st_set64_add(&sets->writers, (uint64_t)observed->period + 1);
    } else {
        add_read(sets, locksets, observed->held_set);
        sets->reader_count += st_set64_add(&sets->readers, (uint64_t)observed->period + 1);
    }
}

const struct st_observer st_lockset_sizes_observer = {
    .create = create, .event = on_event, .destroy = destroy};

/* ---- the table ---- */

static const struct st_table_column columns[] = {
    {"reduction storage", "reduction_storage", ST_TABLE_NUMBER},
    {"pairs of accesses", "blocks_storage", ST_TABLE_NUMBER},
    {"accesses", "accesses", ST_TABLE_NUMBER},
    {"unescaped", "unescaped", ST_TABLE_NUMBER},
    {"share", "unescaped_share", ST_TABLE_REAL},
    {"multilockset size", "multilockset_size", ST_TABLE_NUMBER},
    {"Eraser lockset size", "eraser_size", ST_TABLE_NUMBER},
};

static uint64_t storage_of(const struct st_predictor *predictor, const struct st_run *run,
                           const struct st_predict_options *options, struct st_table *table) {
    struct st_prediction prediction;
    void *own = st_alloc(1, predictor->own_size + 1); /* the defaults */
    st_prediction_init(&prediction);
    predictor->run(run, options, own, &prediction);
    uint64_t storage = prediction.storage;
    table->found |= st_all_reported(&prediction) > 0;
    st_prediction_free(&prediction);
    free(own);
    return storage;
}

void st_storage_fill(const struct st_run *run, const struct st_predict_options *options,
                     struct st_table *table) {
    const struct st_model *model = run->model;
    const struct sizes *sizes = st_model_observer(model, &st_lockset_sizes_observer);
    uint64_t multilockset = 0, eraser = 0;
    st_table_init(table, columns, sizeof columns / sizeof *columns);
    table->schema = "seriatim-storage/1";
    table->heading = "what the analyses of 2006 store";
    table->notes =
        "Table 4 of Wang and Stoller (2006): variables in the nodes of transaction trees; pairs "
        "of\n"
        "accesses, which the paper calls blocks; accesses before the first one of a second "
        "thread,\n"
        "or to fresh memory; and the largest sizes of all sets that the searches for races keep.\n";
    for (size_t i = 0; i < sizes->capacity; i++) {
        const struct sets *sets = &sizes->variables[i];
        multilockset +=
            sets->most_reads + sets->most_writes + sets->reader_count + sets->writer_count;
        eraser += sets->most_eraser;
    }
    st_table_number(table, storage_of(&st_reduction, run, options, table));
    st_table_number(table, storage_of(&st_blocks, run, options, table));
    st_table_number(table, model->accesses);
    st_table_number(table, model->unescaped);
    st_table_real(table, model->accesses ? (double)model->unescaped / (double)model->accesses : 0);
    st_table_number(table, multilockset);
    st_table_number(table, eraser);
}
