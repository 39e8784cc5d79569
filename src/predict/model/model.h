/* A run as the analyses of Wang and Stoller see it (TSE 2006; PPoPP 2006): units of events, which
 * other schedules may interleave in any way that locks, fork, join and barriers allow.
 *
 * The trace is fed as often as the model asks for it:
 *
 *     struct st_model *model = st_model_new(&options);
 *     while (st_model_wants_pass(model)) {
 *         ... st_model_feed(model, events, count, first) for all batches of the trace ...
 *         st_model_end_pass(model);
 *     }
 *
 * Read-only from then on, and so for any number of threads at once.
 *
 * **Units.** A transaction is an outermost block, or what is left of one between fork, join and
 * barrier events, which are outside of all units. An event outside of all blocks is a unit of its
 * own, which need not be atomic with any other; predict/model/unit_maker.h says what becomes of
 * critical sections there. Units that do the same (same shape) in the same period are one `struct
 * st_unit`; how many there were is in it, and which blocks they belong to is in the list of
 * instances.
 *
 * **Escape.** The papers count an access only once its variable has escaped from its creator. From
 * a trace one knows for certain only that a variable is *contended*: that two threads access it in
 * concurrent periods, one of them writing. No other variable can matter to atomicity, in any
 * schedule, and those are not in shapes at all. (Counting accesses only from the first access by a
 * second thread on, as if the variable had not escaped before, would miss violations: in another
 * schedule the second thread comes earlier.)
 *
 * **Other synchronisation.** A trace has it as channels, and other schedules need not have the
 * order that was observed. Of some channels more is known: barriers (predict/model/barriers.h) and
 * what is done once (predict/model/onces.h) make the same order in every schedule, and
 * reader-writer locks are locks (predict/model/rwlocks.h). All others make no order at all, unless
 * it is asked for.
 *
 * **Atomic operations.** A read-modify-write is one step in every schedule, and so is an operation
 * on several variables (bytes that are accessed one by one elsewhere). So a variable with such an
 * operation has a lock of its own, with a number from `first_atomic_lock` on, that is held around
 * each operation on it. */
#ifndef SERIATIM_PREDICT_MODEL_MODEL_H
#define SERIATIM_PREDICT_MODEL_MODEL_H

#include "finding/prediction.h"
#include "predict/model/locksets.h"
#include "predict/model/observers.h"
#include "predict/model/periods.h"
#include "predict/model/rwlocks.h"
#include "predict/model/shapes.h"

/* Which order holds in every schedule, beyond fork and join. */
enum st_model_order {
    ST_MODEL_BARRIERS, /* that of barriers, as in the papers, and of what is done once */
    ST_MODEL_ALL       /* that of all channels as it was observed */
};

struct st_model_options {
    enum st_model_order order;
    bool keep_shared;      /* in shapes also variables that are shared, but not contended */
    bool keep_repetitions; /* no trimming, for comparison */
    bool keep_sequence;    /* all occurrences of units, in order; and then each event outside of
                            * blocks is a unit of its own also in critical sections */
    struct st_observer_list observers;
};

/* Where something was seen. */
struct st_spot {
    uint64_t number, loc;
};

struct st_unit {
    uint32_t shape;
    uint32_t thread;
    uint32_t first_period, last_period; /* different if something ordered it in its midst */
    uint32_t block;                     /* name, or ST_NO_NAME */
    /* The tokens own_first .. own_end - 1 are the transaction, or the event outside of blocks.
     * Those before and behind are of critical sections around it (predict/model/unit_maker.h). */
    uint32_t own_first, own_end;
    bool transaction;
    uint64_t count;      /* how many units are like this one */
    uint64_t begin, end; /* events: the begin of the first and the end of the last of them */
    uint64_t begin_loc;
    struct st_spot *spots; /* of the first one: for each token */
};

/* A transaction that was executed. Parts of one block have the same begin. */
struct st_instance {
    uint64_t begin, end; /* of the block; end is 0 if it is open at the end of the trace */
    uint64_t begin_loc;  /* that of the unit is the first one's */
    uint32_t unit;
};

/* A unit as it was executed. */
struct st_occurrence {
    uint32_t unit;
    size_t spots; /* in st_model.spots: one for each of its tokens */
};

struct st_model_variable {
    bool shared, written, contended, indivisible;
    bool plain;    /* some access is no atomic operation: it can be in a data race */
    uint32_t lock; /* its own, if it is indivisible */
};

struct st_model_lock {
    bool shared, contended;
    bool loose;          /* some critical section of it lasts from one unit to another */
    uint32_t protectors; /* the set of locks that are held whenever it is */
};

struct st_model {
    struct st_model_options options;
    struct st_unit *units;
    size_t unit_count, unit_capacity;
    struct st_instance *instances; /* in the order in which they ended */
    size_t instance_count, instance_capacity;
    struct st_occurrence *occurrences; /* with keep_sequence: those of a thread are in order */
    size_t occurrence_count, occurrence_capacity;
    struct st_spot *spots;
    size_t spot_count, spot_capacity;
    struct st_shapes shapes;
    struct st_locksets locksets;
    const struct st_periods *periods;
    struct st_model_variable *variables;
    size_t variable_count;
    struct st_model_lock *locks; /* of the trace, of rwlocks, and of atomic variables */
    const struct st_rwlocks *rwlocks;
    size_t lock_count;
    uint32_t first_atomic_lock;
    uint64_t channel_events;        /* of channels that make no order in every schedule */
    bool held_at_end;               /* a contended lock was held when the trace ended */
    struct st_observers *observers; /* those of the options */
    struct st_model_builder *builder;
};

struct st_model *st_model_new(const struct st_model_options *options);
void st_model_free(struct st_model *model);

bool st_model_wants_pass(const struct st_model *model);
void st_model_feed(struct st_model *model, const struct st_event *events, size_t count,
                   uint64_t first);
void st_model_end_pass(struct st_model *model);

size_t st_model_memory(const struct st_model *model);

static inline const struct st_shape *st_unit_shape(const struct st_model *model, uint32_t unit) {
    return &model->shapes.items[model->units[unit].shape];
}

/* Must every unit like `left` end before some unit like `right` begins? For the same thread: does
 * the first of the ones come before the last of the others? */
static inline bool st_unit_before(const struct st_model *model, uint32_t left, uint32_t right) {
    const struct st_unit *a = &model->units[left], *b = &model->units[right];
    if (a->thread == b->thread)
        return a->begin < b->end;
    return st_period_before(model->periods, a->last_period, b->first_period);
}

/* Can they run at the same time? Never true of two units of one thread. */
static inline bool st_units_concurrent(const struct st_model *model, uint32_t left,
                                       uint32_t right) {
    const struct st_unit *a = &model->units[left], *b = &model->units[right];
    return a->thread != b->thread &&
           !st_period_before(model->periods, a->last_period, b->first_period) &&
           !st_period_before(model->periods, b->last_period, a->first_period);
}

/* The event of a token of a unit, for findings; the second for a token that is not in a unit. */
struct st_place st_unit_place(const struct st_model *model, uint32_t unit, uint32_t token);
struct st_place st_token_place(const struct st_model *model, uint32_t thread, struct st_token what,
                               struct st_spot spot);

/* "R-W-R": the operations of the events; locks are "acq" and "rel". To be freed. */
char *st_places_pattern(const struct st_place *events, size_t count);

/* Gives the prediction all blocks of the trace. verdicts[u] is what the analysis says of unit u;
 * `explain` fills pattern, events and what else it knows of a unit that it reports, and is called
 * at most once for each block that is listed. limit: how many blocks to list at most, 0 for all;
 * those with findings go first, and the names of blocks share the places. */
typedef void st_explain(void *context, uint32_t unit, struct st_predicted_block *block);
void st_model_tell(const struct st_model *model, const enum st_block_verdict *verdicts,
                   st_explain *explain, void *context, size_t limit,
                   struct st_prediction *prediction);

/* The same where the analysis tells apart what is alike: verdicts[i] is about
 * model->instances[i].
 */
void st_model_tell_instances(const struct st_model *model, const enum st_block_verdict *verdicts,
                             st_explain *explain, void *context, size_t limit,
                             struct st_prediction *prediction);

#endif
