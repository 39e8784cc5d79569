/* What the model must know about variables and locks before it can make units: which variables are
 * contended, and how locks are used. */
#ifndef SERIATIM_PREDICT_MODEL_CONTENTION_H
#define SERIATIM_PREDICT_MODEL_CONTENTION_H

#include "base/bits.h"
#include "base/map64.h"
#include "predict/model/locksets.h"
#include "predict/model/order.h"

/* The last time a thread used something: periods plus 1, or 0 for never. */
struct st_last_use {
    uint32_t thread;
    uint32_t read, written;
};

/* Those of other threads than the first. */
struct st_other_uses {
    struct st_last_use *items;
    uint32_t count; /* its room is a power of two */
};

/* A program that allocates much has many millions of variables, most of which one thread uses. */
struct st_variable_facts {
    struct st_last_use first; /* kept until it is contended */
    uint32_t others;      /* the same: its place in st_survey.others plus 1; 0: there are none */
    uint32_t protectors;  /* the lockset that is held at each access that is not hidden */
    uint32_t hidden_in;   /* 1 + the thread that used it while it was hidden; 0: none */
    bool shared : 1;      /* at least two threads access it */
    bool written : 1;     /* at least once */
    bool contended : 1;   /* two threads access it concurrently, one of them writing */
    bool indivisible : 1; /* an atomic operation of several accesses includes it */
    bool plain : 1;       /* some access is not an atomic operation */
    bool used : 1;        /* other than hidden */
};

struct st_lock_facts {
    bool shared;    /* at least two threads acquire it */
    bool contended; /* and at least once in concurrent periods */
    bool used;
    uint32_t protectors; /* the lockset that is held whenever this lock is */
    struct st_last_use first;
    struct st_other_uses others;
};

/* The state of one thread. */
struct st_survey_thread {
    uint32_t *held; /* locks, in the order of their acquires */
    size_t held_count, held_capacity;
    uint32_t held_set;
    bool alive;      /* forked or started, and not joined */
    uint32_t atomic; /* the variable of its last event plus 1, if that was an atomic access */
};

struct st_survey {
    struct st_variable_facts *variables;
    size_t variable_count, variable_capacity;
    struct st_other_uses *others; /* of variables */
    size_t other_count, other_capacity;
    struct st_lock_facts *locks;
    size_t lock_count, lock_capacity;
    struct st_survey_thread *threads;
    size_t thread_capacity;
    size_t alive;    /* so many threads are, as far as the trace shows */
    bool more_roots; /* there are more than one that nobody forked: who is alive is not known */
    uint64_t channel_events;      /* of channels whose order need not hold in every schedule */
    uint64_t accesses, unescaped; /* all, and those before the first one of a second thread, or to
                                   * memory that no other can know of yet */
    struct st_map64 lock_pairs;   /* as in struct st_model (model.h) */
    struct st_order order;
    struct st_locksets *locksets;
};

void st_survey_init(struct st_survey *survey, enum st_model_order mode,
                    const struct st_barriers *barriers, const struct st_onces *onces,
                    const struct st_handovers *handovers, struct st_locksets *locksets);
void st_survey_free(struct st_survey *survey);

/* Takes all events of the trace, in order. `hidden`: an access to memory that no other thread can
 * know of yet (predict/model/exposure.h), so that nobody can come in between. */
void st_survey_event(struct st_survey *survey, const struct st_event *event, bool hidden);

/* May there be a data race on this variable? After all events. */
bool st_survey_may_race(const struct st_survey *survey, uint32_t variable);

/* Variables that are always used one directly after the other: the words of a buffer that is
 * copied, cleared or compared as a whole. A *link* leads from a variable to the one with the next
 * number if each access to either is next to an access to the other: in the trace, by the same
 * thread, both reads or both writes, both or neither to fresh memory (then exposure.h hides both or
 * neither), and not atomic. A variable between two links is *inner*: model.h says why it makes no
 * difference.
 *
 * Starts as all zero. */
struct st_neighbours {
    struct st_bits apart; /* variables to which no link leads from the one before */
    struct st_event last;
    bool was_access; /* it is one */
};

/* The next events of the trace. */
void st_neighbours_feed(struct st_neighbours *neighbours, const struct st_event *events,
                        size_t count);

/* After all events, of which some access the variable. */
bool st_is_inner(const struct st_neighbours *neighbours, uint32_t variable);

#endif
