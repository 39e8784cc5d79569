/* Pairs of accesses of a transaction to two variables: the 2v-blocks of the paper (TSE 2006, 6.2
 * and Theorem 4).
 *
 * The question: between two accesses e1 and e2 of a transaction to different variables, can another
 * transaction make two accesses, one that conflicts with e1 and one that conflicts with e2? By the
 * one it would come after the first transaction, and by the other before it. Only initial reads and
 * final writes matter, provided that the pairs for one variable find nothing. It can if the other
 * transaction, at any time from its first access to its second, holds no lock that is held
 * continuously from e1 to e2: h12 has no lock in common with h1', h2' and heldmid'.
 *
 * The paper compares all pairs with each other, and a transaction with k accesses has O(k^2) of
 * them. We get the same answer from the chain of accesses:
 *
 * - Critical sections are nested, so among the gaps between neighbouring accesses from e1 to e2
 *   there is one in which exactly the locks of h12 are held. So it is enough to look at gaps
 *   between neighbours. Take all gaps of a transaction with the same locks H, and each *run* of the
 *   other transaction (a longest sequence of its accesses without a lock of H). Then e1 and e2
 *   exist iff the earliest gap with H after a conflict with the run comes before the last conflict
 *   with the run, and the two conflicts are on different variables. That takes one look at each
 *   access of the run.
 * - Transactions with the same chain (a *profile*) are checked once, and so are pairs of profiles.
 *
 * The chain consists of the pairs of neighbours, from which all other pairs follow. These pairs are
 * what is counted as storage.
 *
 * Where the printed text needed an interpretation:
 *
 * - "Interleaved to any of the unserializable patterns": with two pairs of conflicting operations,
 *   all of them initial reads and final writes, an interleaving is unserializable whenever one pair
 *   is in one order and the other pair in the other. We look for interleavings in which one pair is
 *   within the other. Where they cross (e1 e1' e2 e2'), there is also a schedule in which they do
 *   not: as no deadlock is possible, one of the two can finish first.
 * - We apply the optimization of 6.6 (of two initial reads of a variable in the same critical
 *   sections with no acquire between them, one is enough).
 * - A unit outside transactions makes one access, so it is in no pair. */
#include "base/memory.h"
#include "predict/blocks/blocks.h"
#include "predict/parallel.h"

#include <stdlib.h>
#include <string.h>

/* ---- accesses ---- */

void st_2v_accesses_free(struct st_2v_accesses *accesses) {
    free(accesses->items);
    free(accesses->tokens);
}

/* Of two initial reads of a variable in the same critical sections, with no acquire between them,
 * the second adds nothing. */
static bool is_repeated(const struct st_shape *shape, uint32_t old, uint32_t token,
                        uint32_t acquired) {
    return old >= acquired && shape->locksets[old] == shape->locksets[token] &&
           shape->ups[old] == shape->ups[token];
}

static void put_access(const struct st_shape *shape, uint32_t i, struct st_2v_accesses *accesses) {
    st_reserve(&accesses->items, &accesses->capacity, accesses->count + 1);
    st_reserve(&accesses->tokens, &accesses->token_capacity, accesses->count + 1);
    accesses->items[accesses->count] = (struct st_2v_access){.variable = shape->tokens[i].target,
                                                             .op = shape->tokens[i].kind,
                                                             .held = shape->locksets[i]};
    accesses->tokens[accesses->count++] = i;
}

/* During the pass over the tokens, roles->last[v] is the last listed initial read of v, plus 1. */
void st_2v_list_accesses(struct st_blocks_run *run, struct st_roles *roles, uint32_t number,
                         struct st_2v_accesses *accesses) {
    const struct st_shape *shape = &run->model->shapes.items[number];
    uint32_t acquired = 0; /* the last acquire so far */
    accesses->count = 0;
    st_roles_find(roles, shape);
    for (uint32_t i = 0; i < shape->count; i++) {
        uint32_t target = shape->tokens[i].target;
        if (shape->tokens[i].kind == ST_TOKEN_ACQUIRE)
            acquired = i;
        if (roles->final[i])
            put_access(shape, i, accesses);
        if (!roles->initial[i])
            continue;
        if (!roles->last[target] || !is_repeated(shape, roles->last[target] - 1, i, acquired))
            put_access(shape, i, accesses);
        roles->last[target] = i + 1;
    }
    for (size_t i = 0; i < accesses->count; i++) {
        roles->last[accesses->items[i].variable] = 0;
        if (i + 1 == accesses->count)
            break;
        uint32_t from = accesses->tokens[i], to = accesses->tokens[i + 1];
        accesses->items[i].between = st_blocks_held_between(run, shape, from, to);
        accesses->items[i].touched = st_blocks_touched(run, shape, from, to);
    }
}

/* ---- profiles ---- */

/* The accesses of a group of shapes with the same chain. */
struct profile {
    struct st_2v_access *accesses;
    uint32_t count;
    uint32_t all_locks; /* held at any time from the first access to the last */
    uint32_t always;    /* held at all accesses */
    uint32_t *gaps;     /* the distinct sets `between` */
    uint32_t gap_count;
    struct st_unit_list units; /* all transactions */
    struct st_unit_list times; /* the same, but one for each time */
};

/* The profiles of each variable, each listed once. */
struct user_index {
    uint32_t *users;
    size_t *first; /* by variable: index into `users`; has one more element than there are
                    * variables */
};

struct profiles {
    struct st_blocks_run *run;
    struct profile *items;
    size_t count, capacity;
    struct user_index users, writers;
    struct scratch *scratches; /* by worker */
};

static bool has_two_variables(const struct st_2v_access *accesses, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (accesses[i].variable != accesses[0].variable)
            return true;
    return false;
}

static bool has_transaction(const struct st_blocks_run *run, uint32_t shape) {
    for (size_t i = run->first_unit[shape]; i < run->first_unit[shape + 1]; i++)
        if (run->model->units[run->units[i]].transaction)
            return true;
    return false;
}

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Computes what follows from the accesses. */
static void complete_profile(struct st_blocks_run *run, struct profile *profile) {
    const struct st_2v_access *accesses = profile->accesses;
    uint32_t kept = 0;
    profile->always = accesses[0].held;
    profile->all_locks = accesses[profile->count - 1].held;
    profile->gaps = st_alloc(profile->count, sizeof *profile->gaps);
    for (uint32_t i = 0; i < profile->count; i++) {
        profile->always = st_lockset_common(&run->locksets, profile->always, accesses[i].held);
        if (i + 1 == profile->count)
            break;
        for (uint32_t k = 0; k < st_lockset_size(&run->locksets, accesses[i].touched); k++)
            profile->all_locks =
                st_lockset_with(&run->locksets, profile->all_locks,
                                st_lockset_locks(&run->locksets, accesses[i].touched)[k]);
        profile->gaps[profile->gap_count++] = accesses[i].between;
    }
    qsort(profile->gaps, profile->gap_count, sizeof *profile->gaps, by_number);
    for (uint32_t i = 1; i < profile->gap_count; i++)
        if (profile->gaps[i] != profile->gaps[kept])
            profile->gaps[++kept] = profile->gaps[i];
    profile->gap_count = kept + 1;
}

static void count_storage(struct st_blocks_run *run, const struct profiles *profiles) {
    struct st_intern known;
    st_intern_init(&known, 2 * sizeof(struct st_2v_access));
    for (size_t i = 0; i < profiles->count; i++)
        for (uint32_t k = 0; k + 1 < profiles->items[i].count; k++) {
            struct st_2v_access pair[2];
            memcpy(pair, &profiles->items[i].accesses[k], sizeof pair);
            pair[1].between = pair[1].touched = 0; /* these belong to the next pair */
            if (pair[0].variable != pair[1].variable)
                st_intern_add(&known, pair, sizeof pair);
        }
    run->storage += known.count;
    st_intern_free(&known);
}

static void make_profiles(struct profiles *profiles) {
    struct st_blocks_run *run = profiles->run;
    struct st_2v_accesses accesses = {.count = 0};
    struct st_roles roles;
    struct st_intern chains;
    st_roles_init(run, &roles);
    st_intern_init(&chains, 0);
    for (uint32_t shape = 0; shape < run->model->shapes.count; shape++) {
        if (!has_transaction(run, shape))
            continue;
        st_2v_list_accesses(run, &roles, shape, &accesses);
        if (!has_two_variables(accesses.items, accesses.count))
            continue;
        size_t bytes = accesses.count * sizeof *accesses.items;
        uint32_t known = chains.count;
        uint32_t number = st_intern_add(&chains, accesses.items, bytes);
        st_reserve(&profiles->items, &profiles->capacity, (size_t)number + 1);
        struct profile *profile = &profiles->items[number];
        if (number == known) {
            profiles->count = (size_t)number + 1;
            profile->count = (uint32_t)accesses.count;
            profile->accesses = st_alloc(accesses.count, sizeof *profile->accesses);
            memcpy(profile->accesses, accesses.items, bytes);
            complete_profile(run, profile);
        }
        st_unit_list_add_shape(run, shape, &profile->units);
    }
    st_intern_free(&chains);
    st_roles_free(&roles);
    st_2v_accesses_free(&accesses);
}

/* Lists only transactions: other units of the same shape are in no pair. */
static void list_units(struct profiles *profiles) {
    const struct st_model *model = profiles->run->model;
    for (size_t i = 0; i < profiles->count; i++) {
        struct profile *profile = &profiles->items[i];
        size_t kept = 0;
        for (size_t k = 0; k < profile->units.count; k++)
            if (model->units[profile->units.units[k]].transaction)
                profile->units.units[kept++] = profile->units.units[k];
        profile->units.count = kept;
        st_reserve(&profile->times.units, &profile->times.capacity, kept + 1);
        memcpy(profile->times.units, profile->units.units, kept * sizeof(uint32_t));
        profile->times.count = kept;
        st_unit_list_sort(profiles->run, &profile->times);
    }
}

/* Finds which profiles access a variable or, for the other index, write it. */
static void index_users(const struct profiles *profiles, bool only_writes,
                        struct user_index *index) {
    size_t variables = profiles->run->model->variable_count;
    uint32_t *last = st_alloc(variables + 1, sizeof *last);
    index->first = st_alloc(variables + 2, sizeof *index->first);
    for (int round = 0; round < 2; round++) {
        memset(last, 0, variables * sizeof *last);
        for (uint32_t i = 0; i < profiles->count; i++)
            for (uint32_t k = 0; k < profiles->items[i].count; k++) {
                const struct st_2v_access *access = &profiles->items[i].accesses[k];
                if (last[access->variable] == i + 1 ||
                    (only_writes && access->op != ST_TOKEN_WRITE))
                    continue;
                last[access->variable] = i + 1;
                if (round == 0)
                    index->first[access->variable + 2]++;
                else
                    index->users[index->first[access->variable + 1]++] = i;
            }
        if (round == 1)
            break;
        for (size_t i = 1; i < variables + 2; i++)
            index->first[i] += index->first[i - 1];
        index->users = st_alloc(index->first[variables + 1] + 1, sizeof *index->users);
    }
    free(last);
}

static void free_profiles(struct profiles *profiles) {
    for (size_t i = 0; i < profiles->count; i++) {
        struct profile *profile = &profiles->items[i];
        free(profile->accesses);
        free(profile->gaps);
        free(profile->units.units);
        free(profile->times.units);
    }
    free(profiles->items);
    free(profiles->users.users);
    free(profiles->users.first);
    free(profiles->writers.users);
    free(profiles->writers.first);
}

/* ---- one profile and the others ---- */

#define NOWHERE UINT32_MAX

/* Where the current profile accesses a variable: indices of its accesses. */
struct use {
    uint32_t profile; /* the current one plus 1; otherwise the rest is meaningless */
    uint32_t first, last;
    uint32_t write; /* the final one, or NOWHERE */
};

/* The private state of one worker. */
struct scratch {
    struct use *uses;   /* by variable */
    uint32_t *counts;   /* by profile: number of variables on which it conflicts with the current
                         * one */
    uint32_t *partners; /* the profiles with a nonzero count */
    size_t partner_count;
    uint32_t *next; /* by gap set and access: the first gap with that set at or after the access */
    size_t next_capacity;
};

static void free_scratch(struct scratch *scratch) {
    free(scratch->uses);
    free(scratch->counts);
    free(scratch->partners);
    free(scratch->next);
}

static void find_uses(const struct profile *profile, uint32_t number, struct use *uses) {
    for (uint32_t i = 0; i < profile->count; i++) {
        const struct st_2v_access *access = &profile->accesses[i];
        struct use *use = &uses[access->variable];
        if (use->profile != number + 1)
            *use = (struct use){.profile = number + 1, .first = i, .write = NOWHERE};
        use->last = i;
        if (access->op == ST_TOKEN_WRITE)
            use->write = i;
    }
}

/* next[g * count + i]: the smallest k >= i such that set g is held between accesses k and k + 1. */
static void find_gaps(const struct profile *profile, struct scratch *scratch) {
    uint32_t count = profile->count;
    st_reserve(&scratch->next, &scratch->next_capacity, (size_t)count * profile->gap_count + 1);
    for (uint32_t g = 0; g < profile->gap_count; g++) {
        uint32_t *next = scratch->next + (size_t)g * count, found = NOWHERE;
        for (uint32_t i = count; i-- > 0;) {
            if (i + 1 < count && profile->accesses[i].between == profile->gaps[g])
                found = i;
            next[i] = found;
        }
    }
}

/* Where the part of a run read so far conflicts with the current profile: the earliest gap after a
 * conflict and the last conflict, each for two variables, the better one first. */
struct meeting {
    struct {
        uint32_t variable, place;
        uint32_t access, partner; /* indices of the two conflicting accesses */
    } early[2], late[2];
};

static void start_meeting(struct meeting *meeting) {
    memset(meeting, 0, sizeof *meeting);
    for (int i = 0; i < 2; i++) {
        meeting->early[i].variable = meeting->late[i].variable = ST_BLOCKS_NO_VARIABLE;
        meeting->early[i].place = NOWHERE;
    }
}

static void note_early(struct meeting *meeting, uint32_t variable, uint32_t place, uint32_t access,
                       uint32_t partner) {
    int i = meeting->early[0].variable == variable || place < meeting->early[0].place ? 0 : 1;
    if (place == NOWHERE || place >= meeting->early[i].place)
        return;
    if (i == 0 && meeting->early[0].variable != variable)
        meeting->early[1] = meeting->early[0];
    meeting->early[i].variable = variable;
    meeting->early[i].place = place;
    meeting->early[i].access = access;
    meeting->early[i].partner = partner;
}

static void note_late(struct meeting *meeting, uint32_t variable, uint32_t place,
                      uint32_t partner) {
    bool first = meeting->late[0].variable == ST_BLOCKS_NO_VARIABLE;
    int i =
        first || meeting->late[0].variable == variable || place > meeting->late[0].place ? 0 : 1;
    if (meeting->late[i].variable != ST_BLOCKS_NO_VARIABLE && place <= meeting->late[i].place)
        return;
    if (i == 0 && !first && meeting->late[0].variable != variable)
        meeting->late[1] = meeting->late[0];
    meeting->late[i].variable = variable;
    meeting->late[i].place = place;
    meeting->late[i].access = place;
    meeting->late[i].partner = partner;
}

/* Processes an access of the run. */
static void note_access(struct meeting *meeting, const struct use *use, const uint32_t *next,
                        const struct st_2v_access *access, uint32_t partner) {
    bool writes = access->op == ST_TOKEN_WRITE;
    uint32_t first = writes ? use->first : use->write, last = writes ? use->last : use->write;
    if (first == NOWHERE)
        return;
    note_early(meeting, access->variable, next[first], first, partner);
    note_late(meeting, access->variable, last, partner);
}

/* Are there two accesses on opposite sides of a gap? */
static bool is_violated(const struct meeting *meeting, int *early, int *late) {
    for (*early = 0; *early < 2; ++*early)
        for (*late = 0; *late < 2; ++*late)
            if (meeting->early[*early].place != NOWHERE &&
                meeting->late[*late].variable != ST_BLOCKS_NO_VARIABLE &&
                meeting->early[*early].variable != meeting->late[*late].variable &&
                meeting->early[*early].place < meeting->late[*late].place)
                return true;
    return false;
}

/* The accesses of the current profile around a gap, and those of its partner in it. */
struct gap {
    uint32_t accesses[2], partners[2];
};

/* Can the partner make two accesses in a gap where this set is held? */
static bool fits_in_gaps(const struct profiles *profiles, const struct scratch *scratch,
                         uint32_t number, const struct profile *partner, uint32_t set,
                         const uint32_t *next, struct gap *gap) {
    const struct st_locksets *locksets = &profiles->run->locksets;
    bool whole = st_locksets_disjoint(locksets, set, partner->all_locks);
    struct meeting meeting;
    int early, late;
    start_meeting(&meeting);
    for (uint32_t i = 0; i < partner->count; i++) {
        const struct st_2v_access *access = &partner->accesses[i];
        const struct use *use = &scratch->uses[access->variable];
        if (use->profile == number + 1 &&
            (whole || st_locksets_disjoint(locksets, set, access->held)))
            note_access(&meeting, use, next, access, i);
        bool ends = i + 1 == partner->count ||
                    (!whole && !st_locksets_disjoint(locksets, set, access->touched));
        if (!ends)
            continue;
        if (is_violated(&meeting, &early, &late)) {
            *gap = (struct gap){
                .accesses = {meeting.early[early].access, meeting.late[late].access},
                .partners = {meeting.early[early].partner, meeting.late[late].partner}};
            return true;
        }
        start_meeting(&meeting);
    }
    return false;
}

static bool violates(const struct profiles *profiles, const struct scratch *scratch,
                     uint32_t number, const struct profile *partner, struct gap *gap) {
    const struct profile *self = &profiles->items[number];
    for (uint32_t g = 0; g < self->gap_count; g++)
        if (st_locksets_disjoint(&profiles->run->locksets, self->gaps[g], partner->always) &&
            fits_in_gaps(profiles, scratch, number, partner, self->gaps[g],
                         scratch->next + (size_t)g * self->count, gap))
            return true;
    return false;
}

/* Finds the profiles that conflict with this one on at least two variables, in ascending order. */
static void find_partners(const struct profiles *profiles, uint32_t number,
                          struct scratch *scratch) {
    const struct profile *self = &profiles->items[number];
    scratch->partner_count = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        uint32_t variable = self->accesses[i].variable;
        const struct use *use = &scratch->uses[variable];
        const struct user_index *index =
            use->write == NOWHERE ? &profiles->writers : &profiles->users;
        if (use->first != i)
            continue;
        for (size_t k = index->first[variable]; k < index->first[variable + 1]; k++)
            if (!scratch->counts[index->users[k]]++)
                scratch->partners[scratch->partner_count++] = index->users[k];
    }
    size_t kept = 0;
    for (size_t i = 0; i < scratch->partner_count; i++) {
        uint32_t partner = scratch->partners[i];
        if (scratch->counts[partner] > 1)
            scratch->partners[kept++] = partner;
        scratch->counts[partner] = 0;
    }
    scratch->partner_count = kept;
    qsort(scratch->partners, kept, sizeof *scratch->partners, by_number);
}

/* Reports the transactions of the profile for which a unit of its partner can run at the same time.
 * True if nothing more can be found for the profile. */
static bool report(const struct profiles *profiles, uint32_t number, const struct profile *partner,
                   const struct gap *gap) {
    struct st_blocks_run *run = profiles->run;
    const struct profile *self = &profiles->items[number];
    bool all = true;
    for (size_t i = 0; i < self->units.count; i++) {
        uint32_t unit = self->units.units[i];
        if (run->verdicts[unit] != ST_BLOCK_ATOMIC)
            continue;
        uint32_t other = st_unit_list_meet(run, &partner->times, unit);
        if (other == ST_NO_UNIT) {
            all = false;
            continue;
        }
        run->verdicts[unit] = ST_BLOCK_POTENTIAL;
        run->findings[unit] =
            (struct st_pair_finding){.variables = {self->accesses[gap->accesses[0]].variable,
                                                   self->accesses[gap->accesses[1]].variable},
                                     .tokens = {gap->accesses[0], gap->accesses[1]},
                                     .other = other,
                                     .others = {gap->partners[0], gap->partners[1]}};
    }
    return all;
}

static bool is_settled(const struct st_blocks_run *run, const struct profile *profile) {
    for (size_t i = 0; i < profile->units.count; i++)
        if (run->verdicts[profile->units.units[i]] == ST_BLOCK_ATOMIC)
            return false;
    return true;
}

static void check_profile(void *context, unsigned worker, size_t number) {
    const struct profiles *profiles = context;
    const struct st_blocks_run *run = profiles->run;
    const struct profile *self = &profiles->items[number];
    struct scratch *scratch = &profiles->scratches[worker];
    if (is_settled(run, self))
        return;
    if (!scratch->uses) {
        scratch->uses = st_alloc(run->model->variable_count + 1, sizeof *scratch->uses);
        scratch->counts = st_alloc(profiles->count + 1, sizeof *scratch->counts);
        scratch->partners = st_alloc(profiles->count + 1, sizeof *scratch->partners);
    }
    find_uses(self, (uint32_t)number, scratch->uses);
    find_gaps(self, scratch);
    find_partners(profiles, (uint32_t)number, scratch);
    for (size_t i = 0; i < scratch->partner_count; i++) {
        const struct profile *partner = &profiles->items[scratch->partners[i]];
        struct gap gap;
        if (violates(profiles, scratch, (uint32_t)number, partner, &gap) &&
            report(profiles, (uint32_t)number, partner, &gap))
            break;
    }
}

/* Converts the access indices in findings to tokens. */
static void find_tokens(struct st_blocks_run *run, const bool *was_known) {
    struct st_2v_accesses accesses = {.count = 0};
    struct st_roles roles;
    st_roles_init(run, &roles);
    for (uint32_t unit = 0; unit < run->model->unit_count; unit++) {
        struct st_pair_finding *finding = &run->findings[unit];
        if (was_known[unit] || run->verdicts[unit] != ST_BLOCK_POTENTIAL)
            continue;
        for (int i = 0; i < 2; i++) {
            uint32_t *tokens = i ? finding->others : finding->tokens;
            st_2v_list_accesses(run, &roles, run->model->units[i ? finding->other : unit].shape,
                                &accesses);
            tokens[0] = accesses.tokens[tokens[0]];
            tokens[1] = accesses.tokens[tokens[1]];
        }
        if (finding->others[0] > finding->others[1]) {
            uint32_t later = finding->others[0];
            finding->others[0] = finding->others[1];
            finding->others[1] = later;
        }
    }
    st_roles_free(&roles);
    st_2v_accesses_free(&accesses);
}

void st_2v_check(struct st_blocks_run *run) {
    struct profiles profiles = {.run = run};
    unsigned workers = run->options->jobs ? run->options->jobs : 1;
    bool *was_known = st_alloc(run->model->unit_count + 1, sizeof *was_known);
    for (size_t i = 0; i < run->model->unit_count; i++)
        was_known[i] = run->verdicts[i] != ST_BLOCK_ATOMIC;
    make_profiles(&profiles);
    list_units(&profiles);
    index_users(&profiles, false, &profiles.users);
    index_users(&profiles, true, &profiles.writers);
    count_storage(run, &profiles);
    profiles.scratches = st_alloc(workers, sizeof *profiles.scratches);
    if (!st_parallel_until(run->options->total, run->options->jobs, profiles.count, check_profile,
                           &profiles))
        st_blocks_give_up(run);
    find_tokens(run, was_known);
    for (unsigned i = 0; i < workers; i++)
        free_scratch(&profiles.scratches[i]);
    free(profiles.scratches);
    free_profiles(&profiles);
    free(was_known);
}
