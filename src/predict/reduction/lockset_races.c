#include "predict/reduction/lockset_races.h"

#include "base/memory.h"
#include "predict/model/model.h"

#include <stdlib.h>

#define NO_SET UINT32_MAX /* no access has counted yet: the set of all locks */
#define NO_THREAD UINT32_MAX

enum phase { VIRGIN, EXCLUSIVE, EXCLUSIVE_2, SHARED, SHARED_MODIFIED };

/* The state machine of Eraser and its relatives. */
struct machine {
    uint8_t phase;
    uint32_t owner, owner_period; /* while exclusive: who, and the period of the last access */
    uint32_t lockset;
};

/* The threads that did something, as far as it matters: only one, or several. */
struct party {
    uint32_t first;
    bool many;
};

/* The last periods in which a thread read and wrote, plus 1; 0 for never. */
struct last_access {
    uint32_t thread, read, written;
};

/* The sets of Figure 3. Of the thread periods it keeps only what the questions need: which threads
 * there were, the last periods of each, and whether concurrent ones have met. */
struct multilockset {
    uint32_t *read_sets; /* none is a subset of another */
    size_t read_count, read_capacity;
    uint32_t write_set;
    struct party readers, writers;
    struct last_access *lasts; /* kept until a write and a read have met */
    size_t last_count, last_capacity;
    bool writes_met, write_met_read;
};

struct state {
    struct machine ownership, eraser, ordered;
    uint32_t early_lockset;
    struct multilockset early, escaped;
    uint32_t creator; /* the first thread */
    bool has_escaped, written;
    /* The last access: an identical one changes nothing. */
    uint32_t thread, period, lockset;
    uint8_t ops;
};

struct st_lockset_races {
    struct st_model *model;
    uint32_t *numbers; /* by variable: its state plus 1, or 0 */
    struct state *states;
    size_t count, capacity;
    unsigned *found; /* by variable: enum st_racy_by, at the end of the trace */
};

static void *create(struct st_model *model, unsigned flags) {
    struct st_lockset_races *races = st_alloc(1, sizeof *races);
    (void)flags;
    races->model = model;
    races->numbers = st_alloc(model->variable_count + 1, sizeof *races->numbers);
    return races;
}

static void free_states(struct st_lockset_races *races) {
    for (size_t i = 0; i < races->count; i++) {
        free(races->states[i].early.read_sets);
        free(races->states[i].early.lasts);
        free(races->states[i].escaped.read_sets);
        free(races->states[i].escaped.lasts);
    }
    free(races->states);
    free(races->numbers);
    races->states = NULL;
    races->numbers = NULL;
    races->count = 0;
}

static void destroy(void *state) {
    struct st_lockset_races *races = state;
    free_states(races);
    free(races->found);
    free(races);
}

static struct state *state_of(struct st_lockset_races *races, uint32_t variable) {
    uint32_t *number = &races->numbers[variable];
    if (!*number) {
        st_reserve(&races->states, &races->capacity, races->count + 1);
        struct state *state = &races->states[races->count++];
        state->early_lockset = NO_SET;
        state->early.write_set = state->escaped.write_set = NO_SET;
        state->early.readers.first = state->early.writers.first = NO_THREAD;
        state->escaped.readers.first = state->escaped.writers.first = NO_THREAD;
        state->creator = state->thread = NO_THREAD;
        *number = (uint32_t)races->count;
    }
    return &races->states[*number - 1];
}

static const struct state *known_state(const struct st_lockset_races *races, uint32_t variable) {
    uint32_t number = races->numbers[variable];
    return number ? &races->states[number - 1] : NULL;
}

/* ---- Eraser and ownership ---- */

struct access {
    uint32_t thread, period, lockset;
    bool writes;
};

static void refine(struct st_locksets *locksets, uint32_t *set, uint32_t held) {
    *set = *set == NO_SET ? held : st_lockset_common(locksets, *set, held);
}

static void own(struct machine *machine, enum phase phase, const struct access *access) {
    machine->phase = (uint8_t)phase;
    machine->owner = access->thread;
    machine->owner_period = access->period;
}

static void share(struct machine *machine, struct st_locksets *locksets,
                  const struct access *access) {
    if (machine->phase < SHARED) {
        machine->phase = SHARED;
        machine->lockset = NO_SET;
    }
    if (access->writes)
        machine->phase = SHARED_MODIFIED;
    refine(locksets, &machine->lockset, access->lockset);
}

static void move_eraser(struct machine *machine, struct st_locksets *locksets,
                        const struct access *access) {
    if (machine->phase == VIRGIN ||
        (machine->phase == EXCLUSIVE && machine->owner == access->thread))
        own(machine, EXCLUSIVE, access);
    else
        share(machine, locksets, access);
}

/* The same with hand-overs: since the last one, only the owner has accessed the variable. */
static void move_ordered(struct machine *machine, struct st_locksets *locksets,
                         const struct st_periods *periods, const struct access *access) {
    if (machine->phase == EXCLUSIVE && machine->owner != access->thread &&
        st_period_before(periods, machine->owner_period, access->period))
        own(machine, EXCLUSIVE, access);
    else
        move_eraser(machine, locksets, access);
}

static void move_ownership(struct machine *machine, struct st_locksets *locksets,
                           const struct access *access) {
    if (machine->phase == VIRGIN)
        own(machine, EXCLUSIVE, access);
    else if (machine->phase == EXCLUSIVE && machine->owner != access->thread)
        own(machine, EXCLUSIVE_2, access);
    else if (machine->phase >= SHARED || machine->owner != access->thread)
        share(machine, locksets, access);
}

static bool machine_reports(const struct machine *machine) {
    return machine->phase == SHARED_MODIFIED && machine->lockset == 0;
}

/* ---- the multilockset algorithm ---- */

static void join_party(struct party *party, uint32_t thread) {
    if (party->first == NO_THREAD)
        party->first = thread;
    party->many |= party->first != thread;
}

static bool meet(const struct party *left, const struct party *right) {
    return left->first != NO_THREAD && right->first != NO_THREAD &&
           (left->many || right->many || left->first != right->first);
}

static void add_read_set(struct multilockset *sets, const struct st_locksets *locksets,
                         uint32_t held) {
    size_t kept = 0;
    for (size_t i = 0; i < sets->read_count; i++)
        if (st_lockset_within(locksets, sets->read_sets[i], held))
            return;
    for (size_t i = 0; i < sets->read_count; i++)
        if (!st_lockset_within(locksets, held, sets->read_sets[i]))
            sets->read_sets[kept++] = sets->read_sets[i];
    st_reserve(&sets->read_sets, &sets->read_capacity, kept + 1);
    sets->read_sets[kept] = held;
    sets->read_count = kept + 1;
}

static struct last_access *last_of(struct multilockset *sets, uint32_t thread) {
    for (size_t i = 0; i < sets->last_count; i++)
        if (sets->lasts[i].thread == thread)
            return &sets->lasts[i];
    st_reserve(&sets->lasts, &sets->last_capacity, sets->last_count + 1);
    sets->lasts[sets->last_count] = (struct last_access){.thread = thread};
    return &sets->lasts[sets->last_count++];
}

static bool is_concurrent(const struct st_periods *periods, uint32_t earlier, uint32_t now) {
    return earlier && !st_period_before(periods, earlier - 1, now);
}

/* If any past period of a thread can be concurrent with this one, its last one can. */
static void note_period(struct multilockset *sets, const struct st_periods *periods,
                        const struct access *access) {
    if (sets->write_met_read)
        return;
    struct last_access *own_last = last_of(sets, access->thread);
    if (access->writes)
        own_last->written = access->period + 1;
    else
        own_last->read = access->period + 1;
    for (size_t i = 0; i < sets->last_count; i++) {
        const struct last_access *last = &sets->lasts[i];
        if (last->thread == access->thread)
            continue;
        bool met_write = is_concurrent(periods, last->written, access->period);
        if (access->writes) {
            sets->writes_met |= met_write;
            sets->write_met_read |= is_concurrent(periods, last->read, access->period);
        } else {
            sets->write_met_read |= met_write;
        }
    }
    if (sets->write_met_read) {
        free(sets->lasts);
        sets->lasts = NULL;
        sets->last_count = sets->last_capacity = 0;
    }
}

static void note_access(struct multilockset *sets, struct st_lockset_races *races,
                        const struct access *access) {
    if (access->writes) {
        refine(&races->model->locksets, &sets->write_set, access->lockset);
        join_party(&sets->writers, access->thread);
    } else {
        add_read_set(sets, &races->model->locksets, access->lockset);
        join_party(&sets->readers, access->thread);
    }
    note_period(sets, races->model->periods, access);
}

/* Figure 3, "check whether data race occurs". */
static bool multilockset_reports(const struct multilockset *sets,
                                 const struct st_locksets *locksets, bool ordered) {
    bool writes_meet = ordered ? sets->writes_met : sets->writers.many;
    bool write_meets_read = ordered ? sets->write_met_read : meet(&sets->writers, &sets->readers);
    if (sets->write_set == NO_SET)
        return false;
    if (sets->write_set == 0)
        return writes_meet || write_meets_read;
    for (size_t i = 0; i < sets->read_count; i++)
        if (st_locksets_disjoint(locksets, sets->read_sets[i], sets->write_set))
            return write_meets_read;
    return false;
}

/* ---- all of them ---- */

static bool is_repetition(struct state *state, const struct access *access) {
    uint8_t op = access->writes ? 2 : 1;
    if (state->thread == access->thread && state->period == access->period &&
        state->lockset == access->lockset) {
        bool known = state->ops & op;
        state->ops |= op;
        return known;
    }
    state->thread = access->thread;
    state->period = access->period;
    state->lockset = access->lockset;
    state->ops = op;
    return false;
}

static void on_access(struct st_lockset_races *races, uint32_t variable,
                      const struct access *access) {
    struct st_locksets *locksets = &races->model->locksets;
    struct state *state = state_of(races, variable);
    if (is_repetition(state, access))
        return;
    if (state->creator == NO_THREAD)
        state->creator = access->thread;
    state->has_escaped |= state->creator != access->thread;
    state->written |= access->writes;
    move_ownership(&state->ownership, locksets, access);
    move_eraser(&state->eraser, locksets, access);
    move_ordered(&state->ordered, locksets, races->model->periods, access);
    refine(locksets, &state->early_lockset, access->lockset);
    note_access(&state->early, races, access);
    if (state->has_escaped)
        note_access(&state->escaped, races, access);
}

static void on_event(void *state, const struct st_observed *observed) {
    struct st_lockset_races *races = state;
    const struct st_event *event = observed->event;
    struct access access = {event->thread, observed->period, observed->held_set,
                            event->op == ST_WRITE};
    if (event->op != ST_READ && event->op != ST_WRITE)
        return;
    const struct st_model_variable *facts = &races->model->variables[event->target];
    if (facts->indivisible)
        access.lockset = st_lockset_with(&races->model->locksets, access.lockset,
                                         st_variable_lock(races->model, event->target));
    on_access(races, event->target, &access);
}

static unsigned judge(const struct st_lockset_races *races, uint32_t variable) {
    const struct state *state = known_state(races, variable);
    const struct st_locksets *locksets = &races->model->locksets;
    bool contended = races->model->variables[variable].contended;
    unsigned found = 0;
    if (!state)
        return 0;
    bool early = state->has_escaped && state->written && state->early_lockset == 0;
    found |= machine_reports(&state->ownership) ? ST_RACY_OWNERSHIP : 0;
    found |= machine_reports(&state->eraser) ? ST_RACY_ERASER : 0;
    found |= early ? ST_RACY_ERASER_EARLY : 0;
    found |= contended && machine_reports(&state->ordered) ? ST_RACY_ERASER_ORDERED : 0;
    found |= contended && early ? ST_RACY_ERASER_EARLY_ORDERED : 0;
    found |= multilockset_reports(&state->escaped, locksets, false) ? ST_RACY_MULTILOCKSET : 0;
    found |= multilockset_reports(&state->early, locksets, false) ? ST_RACY_MULTILOCKSET_EARLY : 0;
    found |=
        multilockset_reports(&state->escaped, locksets, true) ? ST_RACY_MULTILOCKSET_ORDERED : 0;
    found |= multilockset_reports(&state->early, locksets, true)
                 ? ST_RACY_MULTILOCKSET_EARLY_ORDERED
                 : 0;
    return found;
}

static void finish(void *state) {
    struct st_lockset_races *races = state;
    races->found = st_alloc(races->model->variable_count + 1, sizeof *races->found);
    for (uint32_t i = 0; i < races->model->variable_count; i++)
        races->found[i] = judge(races, i);
    free_states(races);
}

const struct st_observer st_lockset_observer = {
    .create = create, .event = on_event, .finish = finish, .destroy = destroy};

/* ---- answers ---- */

unsigned st_lockset_races_of(const struct st_lockset_races *races, uint32_t variable) {
    return races->found[variable];
}

bool st_lockset_races_now(const struct st_lockset_races *races, uint32_t variable) {
    const struct state *state = known_state(races, variable);
    return state && machine_reports(&state->ownership);
}

bool st_lockset_races_shared_now(const struct st_lockset_races *races, uint32_t variable) {
    const struct state *state = known_state(races, variable);
    return state && state->ownership.phase >= SHARED;
}
