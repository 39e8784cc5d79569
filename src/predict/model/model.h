/* A run as the analyses of Wang and Stoller see it (TSE 2006; PPoPP 2006): units of events, which
 * other schedules may interleave in any way that locks, fork, join and barriers allow.
 *
 * Feed the trace as often as the model asks for it:
 *
 *     struct st_model *model = st_model_new(&options);
 *     while (st_model_wants_pass(model)) {
 *         ... st_model_feed(model, events, count, first) for all batches of the trace ...
 *         st_model_end_pass(model);
 *     }
 *
 * After that the model is read-only, so any number of threads may use it at once.
 *
 * **Units.** A transaction is an outermost block, or a part of one between fork, join and barrier
 * events, which are outside all units. An event outside all blocks is a unit of its own, which need
 * not be atomic with any other; predict/model/unit_maker.h says what happens to critical sections
 * there. Units that do the same (same shape) in the same period are one `struct st_unit`, which
 * counts them. The list of instances says which blocks they belong to.
 *
 * **Escape.** The papers count an access only once its variable has escaped from its creator. A
 * trace shows for certain only that a variable is *contended*: two threads access it in concurrent
 * periods, one of them writing. No other variable can matter to atomicity, in any schedule, so
 * shapes leave the others out. (Suppose accesses counted only from the first access by a second
 * thread on, as if the variable had not escaped before. That would miss violations, since in
 * another schedule the second thread comes earlier.) A recording also marks accesses to memory that
 * has not escaped for certain (watch/memory/fresh.h). These do not count: docs/predict-engines.md
 * shows that nothing is missed.
 *
 * **Inner variables.** A buffer that is always copied as a whole is many variables that are always
 * used one directly after the other (contention.h). The accesses to one of them between the first
 * and the last meet others in the same way, under the same locks, in the same period, as the
 * accesses next to them to the first and to the last. So whatever a path does there, it can do at
 * the first or the last: leave a transaction earlier, come back later, enter a unit earlier and
 * leave it later. Commit nodes need no more (docs/predict-engines.md, "What need not be kept").
 *
 * **Other synchronisation.** A trace represents it by channels, and other schedules need not have
 * the observed order. Some channels are better understood: barriers and one-time
 * initialisation (predict/model/channel_uses.h) impose the same order in every schedule, so do
 * hand-overs if only data counts (predict/model/handovers.h), and reader-writer locks and some
 * semaphores are locks (predict/model/rwlocks.h). All other channels impose no order at all, unless
 * the options ask for it.
 *
 * **Atomic operations.** A read-modify-write is one step in every schedule, and so is an operation
 * on several variables (bytes that are accessed one by one elsewhere). So a variable with such an
 * operation has a lock of its own, numbered from `first_atomic_lock` on, which is held around each
 * operation on it. */
#ifndef SERIATIM_PREDICT_MODEL_MODEL_H
#define SERIATIM_PREDICT_MODEL_MODEL_H

#include "finding/prediction.h"
#include "predict/model/locksets.h"
#include "predict/model/observers.h"
#include "predict/model/periods.h"
#include "predict/model/rwlocks.h"
#include "predict/model/shapes.h"
#include "predict/model/spots.h"

/* The order that holds in every schedule, beyond fork and join. */
enum st_model_order {
    ST_MODEL_BARRIERS, /* that of barriers, as in the papers, and of one-time initialisation */
    ST_MODEL_ALL,      /* that of all channels, as observed */
    ST_MODEL_NOTHING   /* none, fork and join included: all threads are concurrent all the time. For
                        * comparison */
};

struct st_model_options {
    enum st_model_order order;
    bool data; /* only accesses conflict: a serial order need not keep critical sections apart
                * that span several units */
    bool keep_shared;      /* shapes include variables that are shared but not contended */
    bool ends_only;        /* shapes leave out inner variables */
    bool may_be_sparse;    /* commit nodes by conflicts are all that it is for */
    bool keep_repetitions; /* no trimming, for comparison */
    bool keep_sequence;    /* keep all occurrences of units, in order; each event outside blocks is
                            * then a unit of its own, even in critical sections */
    const struct st_channels *channels; /* what their names say; NULL: they are signals, all of
                                         * them */
    struct st_observer_list observers;
};

struct st_unit {
    uint32_t shape;
    uint32_t thread;
    uint32_t first_period, last_period; /* different if something ordered it partway through */
    uint32_t block;                     /* name, or ST_NO_NAME */
    /* The tokens own_first .. own_end - 1 are the transaction, or the event outside blocks. Those
     * before and after belong to critical sections around it (predict/model/unit_maker.h). */
    uint32_t own_first, own_end;
    bool transaction;
    uint64_t count;      /* how many units are like this one */
    uint64_t begin, end; /* events: the begin of the first such unit and the end of the last */
    size_t spots; /* in st_model.unit_spots: where the tokens of the first such unit were seen */
};

/* So many blocks of each name; by name + 1, the first is that of blocks without one. */
struct st_name_counts {
    uint64_t *items;
    size_t capacity;
};

/* An executed transaction. Parts of one block have the same begin. */
struct st_instance {
    uint64_t begin, end; /* of the block; end is 0 if it is open at the end of the trace */
    uint32_t begin_loc;  /* where: its number in st_model.unit_spots.locs */
    uint32_t unit : 31;
    /* Something is initialised once in the middle of it, or it waits for that. What is always
     * ordered counts as no conflict, but a path may leave the block by it, and come back by another
     * access on the other side of that point. */
    uint32_t ordered_within : 1;
};

/* One execution of a unit. */
struct st_occurrence {
    uint32_t unit;
    size_t spots; /* in st_model.spots: one for each of its tokens */
};

/* One byte, as there may be many millions. */
struct st_model_variable {
    bool shared : 1, written : 1, contended : 1;
    bool indivisible : 1; /* it has a lock of its own: st_variable_lock */
    bool plain : 1;       /* some access is not an atomic operation, so there can be a data race */
    bool inner : 1;       /* with ends_only: it can be left out */
};

struct st_model_lock {
    bool shared, contended;
    bool loose;          /* some critical section of it spans several units, and that matters */
    uint32_t protectors; /* the lockset that is held whenever this lock is */
};

struct st_model {
    struct st_model_options options;
    struct st_unit *units;
    size_t unit_count, unit_capacity;
    struct st_instance *instances; /* in the order of their ends */
    size_t instance_count, instance_capacity;
    struct st_occurrence *occurrences; /* with keep_sequence; those of one thread are in order */
    size_t occurrence_count, occurrence_capacity;
    struct st_spot *spots;
    size_t spot_count, spot_capacity;
    struct st_spots unit_spots;
    uint64_t unit_tokens; /* of all units together */
    struct st_shapes shapes;
    struct st_locksets locksets;
    const struct st_periods *periods;
    struct st_model_variable *variables;
    size_t variable_count;
    uint32_t first_signal; /* this variable and those after it stand for channels that hand over
                            * (predict/model/handovers.h): number 0 and those after it */
    struct st_model_lock *locks; /* of the trace, of rwlocks, and of atomic variables */
    struct st_map64 lock_pairs;  /* a lock, and in the lower half one that is acquired while a
                                  * thread holds it */
    const struct st_rwlocks *rwlocks;
    size_t lock_count;
    uint32_t first_atomic_lock;
    struct st_map64 indivisible;  /* variables: number i has the lock first_atomic_lock + i */
    uint64_t channel_events;      /* of channels whose order need not hold in every schedule */
    uint64_t accesses, unescaped; /* as in struct st_survey (contention.h) */
    bool sparse;                  /* there are pieces of units (predict/model/spare/spare.h) */
    bool has_gaps;                /* and not all of them */
    /* If it is sparse, only data counts and some transactions are open: all pieces, which are then
     * no units, and the ways between them. Otherwise NULL. */
    struct st_piece_table *pieces;
    struct st_crossings *crossings;
    struct st_name_counts guarded;  /* if it is sparse: blocks that are atomic, and no instances */
    bool held_at_end;               /* a contended lock was held when the trace ended */
    struct st_observers *observers; /* those of the options */
    struct st_model_builder *builder;
};

struct st_model *st_model_new(const struct st_model_options *options);
void st_model_free(struct st_model *model);

bool st_model_wants_pass(const struct st_model *model);

/* Is the next pass, or the present one, the last? Variables and locks are known from then on. */
bool st_model_makes_units(const struct st_model *model);
void st_model_feed(struct st_model *model, const struct st_event *events, size_t count,
                   uint64_t first);
void st_model_end_pass(struct st_model *model);

/* Does without more than so far: it drops all units, and may want the present pass once more.
 * False: it can do without no more, or somebody needs all units. */
bool st_model_spare(struct st_model *model);

/* Does a sparse model make pieces in this pass, for a pass over transactions? */
bool st_model_makes_pieces(const struct st_model *model);

/* Is this that pass? */
bool st_model_makes_portions(const struct st_model *model);

/* How many transactions the portion has so far, in a pass over them. They can be judged at any time
 * between two events, each once: all that they meet is there. */
size_t st_model_portion(const struct st_model *model);

/* About how many bytes these take, and to judge them. */
size_t st_model_portion_bytes(const struct st_model *model);

/* Shows them, without those that are kept until the last portion, and then drops them. What comes
 * after the last of these is shown at the end of the pass. */
void st_model_show_portion(struct st_model *model);
void st_model_drop_portion(struct st_model *model);

/* Forgets all units, and wants the last pass once more: for the same trace with other blocks. What
 * the model knows about variables, locks and channels stays, as it does not depend on blocks. So
 * events without effect on the units may be left out (predict/excerpt.h). */
void st_model_restart_units(struct st_model *model);

/* About how many bytes it takes to judge the units, besides those of the model. */
size_t st_model_judging_bytes(const struct st_model *model);

/* The lock of an indivisible variable. */
static inline uint32_t st_variable_lock(const struct st_model *model, uint32_t variable) {
    return model->first_atomic_lock + st_map64_find(&model->indivisible, variable);
}

static inline const struct st_shape *st_unit_shape(const struct st_model *model, uint32_t unit) {
    return &model->shapes.items[model->units[unit].shape];
}

/* Where a token of the unit was seen, in the first unit like it. */
static inline struct st_spot st_unit_spot(const struct st_model *model, uint32_t unit,
                                          uint32_t token) {
    return st_spot_of(&model->unit_spots, model->units[unit].spots, token);
}

/* Must every unit like `left` end before some unit like `right` begins? Within one thread: does the
 * first unit like `left` come before the last unit like `right`? */
static inline bool st_unit_before(const struct st_model *model, uint32_t left, uint32_t right) {
    const struct st_unit *a = &model->units[left], *b = &model->units[right];
    if (a->thread == b->thread)
        return a->begin < b->end;
    return st_period_before(model->periods, a->last_period, b->first_period);
}

/* Can the units run at the same time? Never true for two units of one thread. */
static inline bool st_units_concurrent(const struct st_model *model, uint32_t left,
                                       uint32_t right) {
    const struct st_unit *a = &model->units[left], *b = &model->units[right];
    return a->thread != b->thread &&
           !st_period_before(model->periods, a->last_period, b->first_period) &&
           !st_period_before(model->periods, b->last_period, a->first_period);
}

#endif
