/* Pairs of accesses to one variable: the 1v-blocks of the paper (TSE 2006, 6.1 and Theorem 3).
 *
 * The question: can an access of another thread come between two accesses of a transaction to the
 * same variable, so that no serial schedule is equivalent? It can if the access in between needs no
 * lock that is held continuously from the one to the other, and nothing else keeps the two units
 * apart. (Without deadlocks, that is sufficient as well as necessary.)
 *
 * All units of a shape have the same pairs, and a pair that several shapes have is stored once. So
 * memory grows with the variety of a run and not with its length. Pairs are compared variable by
 * variable, in parallel.
 *
 * Where the printed text needed an interpretation:
 *
 * - There is a dummy event for each variable that a unit accesses once. The paper has it only for
 *   transactions with a single event. Then an access to x next to one to y is in no pair at all,
 *   and violations that involve it are missed. (as_published: as printed, where an event is an
 *   access to a variable that counts.)
 * - Pattern 1, the read between two writes, applies only to *initial* reads. A read after a write
 *   of its own transaction cannot see anything else if the other patterns are absent: `l{w(x)}
 *   l{w(x)}` and `l{w(x) r(x)}` are atomic together. (as_published: all reads.)
 * - We read rule b ("if e2 is the final write then e1 is an initial read") as follows: each initial
 *   read before the final write forms a pair with it. An initial read cannot come after it.
 * - held(e1, e2) is what is held *continuously*: a lock that is released and acquired again between
 *   the two does not count.
 * - Events outside transactions are units with one event, which can come between the accesses of
 *   others. They have pairs (with a dummy) but are never reported. An atomic read-modify-write is
 *   one such unit; it holds the lock of its variable.
 * - A pair also records which of its reads are initial. The paper's tuple does not, so two of our
 *   pairs may be one of the paper's. */
#include "base/map64.h"
#include "base/memory.h"
#include "predict/blocks/blocks.h"
#include "predict/parallel.h"

#include <stdlib.h>
#include <string.h>

/* ---- making pairs ---- */

/* What is known about a variable during the pass over the tokens of a shape. Tokens plus 1. */
struct trail {
    uint32_t shape; /* plus 1: the shape that the rest belongs to */
    uint32_t last_write, last_read;
    uint32_t last_initial; /* initial read; `earlier` links to the ones before it */
    uint32_t accesses;
};

struct maker {
    struct st_blocks_run *run;
    struct st_1v_pairs *all;
    struct st_map64 known; /* pairs and the shapes that have them */
    struct st_roles roles;
    struct trail *trails; /* by variable */
    uint32_t *earlier;    /* by token: the previous initial read of its variable, plus 1 */
    size_t earlier_capacity;
    uint32_t shape;
    const struct st_shape *tokens;
};

static struct st_1v_pair pair_of(struct maker *maker, uint32_t i, uint32_t j) {
    const struct st_shape *shape = maker->tokens;
    struct st_1v_pair pair = {.variable = shape->tokens[i].target,
                              .ops = {shape->tokens[i].kind, ST_NO_TOKEN},
                              .initial = {maker->roles.initial[i], 0},
                              .final = {maker->roles.final[i], 0},
                              .held = {shape->locksets[i], 0}};
    if (j == ST_NO_TOKEN)
        return pair;
    pair.ops[1] = shape->tokens[j].kind;
    pair.initial[1] = maker->roles.initial[j];
    pair.final[1] = maker->roles.final[j];
    pair.held[1] = shape->locksets[j];
    pair.between = st_blocks_held_between(maker->run, shape, i, j);
    return pair;
}

/* Makes a pair of tokens i and j. j is ST_NO_TOKEN for the dummy. */
static void add_pair(struct maker *maker, uint32_t i, uint32_t j) {
    struct st_1v_pairs *all = maker->all;
    struct st_1v_pair pair = pair_of(maker, i, j);
    uint32_t number = st_intern_add(&all->pairs, &pair, sizeof pair);
    uint32_t known = maker->known.count;
    if (st_map64_number(&maker->known, (uint64_t)number << 32 | maker->shape) != known)
        return;
    st_reserve(&all->entries, &all->entry_capacity, all->entry_count + 1);
    all->entries[all->entry_count++] = (struct st_1v_entry){number, maker->shape, {i, j}};
}

static struct trail *trail_of(struct maker *maker, uint32_t variable) {
    struct trail *trail = &maker->trails[variable];
    if (trail->shape != maker->shape + 1)
        *trail = (struct trail){.shape = maker->shape + 1};
    return trail;
}

static bool is_same_section(const struct st_shape *shape, uint32_t i, uint32_t j) {
    return shape->locksets[i] == shape->locksets[j] && shape->ups[i] == shape->ups[j];
}

/* Applies rule b. Of initial reads in the same critical sections, one is enough. */
static void add_initial_reads(struct maker *maker, const struct trail *trail, uint32_t write) {
    uint32_t done = ST_NO_TOKEN;
    for (uint32_t i = trail->last_initial; i; i = maker->earlier[i - 1]) {
        if (done == ST_NO_TOKEN || !is_same_section(maker->tokens, done, i - 1))
            add_pair(maker, i - 1, write);
        done = i - 1;
    }
}

static void go_through(struct maker *maker) {
    const struct st_shape *shape = maker->tokens;
    for (uint32_t i = 0; i < shape->count; i++) {
        if (!st_is_access(&shape->tokens[i]))
            continue;
        struct trail *trail = trail_of(maker, shape->tokens[i].target);
        if (trail->last_write)
            add_pair(maker, trail->last_write - 1, i);
        else if (trail->last_read)
            add_pair(maker, trail->last_read - 1, i);
        if (maker->roles.final[i])
            add_initial_reads(maker, trail, i);
        trail->accesses++;
        if (shape->tokens[i].kind == ST_TOKEN_WRITE) {
            trail->last_write = i + 1;
            continue;
        }
        trail->last_read = i + 1;
        if (maker->roles.initial[i]) {
            maker->earlier[i] = trail->last_initial;
            trail->last_initial = i + 1;
        }
    }
}

static void add_dummies(struct maker *maker) {
    const struct st_shape *shape = maker->tokens;
    uint32_t accesses = 0;
    for (uint32_t i = 0; i < shape->count; i++)
        accesses += st_is_access(&shape->tokens[i]);
    for (uint32_t i = 0; i < shape->count; i++)
        if (st_is_access(&shape->tokens[i]) &&
            trail_of(maker, shape->tokens[i].target)->accesses == 1 &&
            (accesses == 1 || !maker->run->options->as_published))
            add_pair(maker, i, ST_NO_TOKEN);
}

/* Sorts the entries by pair. Those of one pair stay in the order of their shapes. */
static void sort_entries(struct st_1v_pairs *all) {
    struct st_1v_entry *sorted = st_alloc(all->entry_count + 1, sizeof *sorted);
    all->first_entry = st_alloc(all->pairs.count + 2, sizeof *all->first_entry);
    for (size_t i = 0; i < all->entry_count; i++)
        all->first_entry[all->entries[i].pair + 2]++;
    for (size_t i = 1; i < all->pairs.count + 2; i++)
        all->first_entry[i] += all->first_entry[i - 1];
    for (size_t i = 0; i < all->entry_count; i++)
        sorted[all->first_entry[all->entries[i].pair + 1]++] = all->entries[i];
    free(all->entries);
    all->entries = sorted;
}

static void sort_pairs(struct st_1v_pairs *all, size_t variables) {
    all->by_variable = st_alloc(all->pairs.count + 1, sizeof *all->by_variable);
    all->first_pair = st_alloc(variables + 2, sizeof *all->first_pair);
    for (uint32_t i = 0; i < all->pairs.count; i++)
        all->first_pair[st_1v_pair_at(all, i)->variable + 2]++;
    for (size_t i = 1; i < variables + 2; i++)
        all->first_pair[i] += all->first_pair[i - 1];
    for (uint32_t i = 0; i < all->pairs.count; i++)
        all->by_variable[all->first_pair[st_1v_pair_at(all, i)->variable + 1]++] = i;
}

void st_1v_make(struct st_blocks_run *run, struct st_1v_pairs *all) {
    const struct st_model *model = run->model;
    struct maker maker = {.run = run, .all = all};
    *all = (struct st_1v_pairs){.entry_count = 0};
    st_intern_init(&all->pairs, sizeof(struct st_1v_pair));
    st_map64_init(&maker.known);
    st_roles_init(run, &maker.roles);
    maker.trails = st_alloc(model->variable_count + 1, sizeof *maker.trails);
    for (uint32_t i = 0; i < model->shapes.count; i++) {
        maker.shape = i;
        maker.tokens = &model->shapes.items[i];
        st_reserve(&maker.earlier, &maker.earlier_capacity, (size_t)maker.tokens->count + 1);
        st_roles_find(&maker.roles, maker.tokens);
        go_through(&maker);
        add_dummies(&maker);
    }
    free(maker.earlier);
    free(maker.trails);
    st_roles_free(&maker.roles);
    st_map64_free(&maker.known);
    sort_entries(all);
    sort_pairs(all, model->variable_count);
    run->storage += all->pairs.count;
}

void st_1v_free(struct st_1v_pairs *all) {
    st_intern_free(&all->pairs);
    free(all->entries);
    free(all->first_entry);
    free(all->by_variable);
    free(all->first_pair);
}

/* ---- comparing pairs ---- */

/* An access that may come in between, and the units that have it. */
struct point {
    uint32_t op, initial, final, held;
    struct st_unit_list units;
};

struct points {
    struct point *items;
    size_t count, capacity;
};

/* One side of a pair. */
struct side {
    uint32_t op, initial, final, held, pair;
};

static int by_what_it_is(const void *left, const void *right) {
    return memcmp(left, right, sizeof(struct side));
}

struct check {
    struct st_blocks_run *run;
    const struct st_1v_pairs *all;
    unsigned patterns;
    _Atomic uint32_t *found; /* by unit: the variable of its finding, plus 1 */
};

static struct side *list_sides(const struct st_1v_pairs *all, uint32_t variable, size_t *count) {
    size_t first = all->first_pair[variable], end = all->first_pair[variable + 1];
    struct side *sides = st_alloc((end - first) * 2 + 1, sizeof *sides);
    *count = 0;
    for (size_t i = first; i < end; i++) {
        const struct st_1v_pair *pair = st_1v_pair_at(all, all->by_variable[i]);
        for (int k = 0; k < 2; k++)
            if (pair->ops[k] != ST_NO_TOKEN)
                sides[(*count)++] = (struct side){pair->ops[k], pair->initial[k], pair->final[k],
                                                  pair->held[k], all->by_variable[i]};
    }
    qsort(sides, *count, sizeof *sides, by_what_it_is);
    return sides;
}

static struct points list_points(const struct check *check, uint32_t variable) {
    const struct st_1v_pairs *all = check->all;
    struct points points = {.count = 0};
    size_t count;
    struct side *sides = list_sides(all, variable, &count);
    for (size_t i = 0; i < count; i++) {
        const struct side *side = &sides[i];
        struct point *last = points.count ? &points.items[points.count - 1] : NULL;
        if (!last || memcmp(side, &sides[i - 1], offsetof(struct side, pair)) != 0) {
            st_reserve(&points.items, &points.capacity, points.count + 1);
            last = &points.items[points.count++];
            *last = (struct point){side->op, side->initial, side->final, side->held, {.count = 0}};
        }
        for (size_t k = all->first_entry[side->pair]; k < all->first_entry[side->pair + 1]; k++)
            st_unit_list_add_shape(check->run, all->entries[k].shape, &last->units);
    }
    for (size_t i = 0; i < points.count; i++)
        st_unit_list_sort(check->run, &points.items[i].units);
    free(sides);
    return points;
}

static void free_points(struct points *points) {
    for (size_t i = 0; i < points->count; i++)
        free(points->items[i].units.units);
    free(points->items);
}

/* Is op1, the point, op2 one of the unserializable patterns? */
static bool is_unserializable(const struct check *check, const struct st_1v_pair *pair,
                              const struct point *point) {
    bool first_reads = pair->ops[0] == ST_TOKEN_READ, then_reads = pair->ops[1] == ST_TOKEN_READ;
    bool point_reads = point->op == ST_TOKEN_READ;
    if (!first_reads && !then_reads)
        return check->patterns & ST_PATTERN_WRW && point_reads &&
               (point->initial || check->run->options->as_published);
    if (point_reads)
        return false;
    if (first_reads && then_reads)
        return check->patterns & ST_PATTERN_RWR;
    if (then_reads)
        return check->patterns & ST_PATTERN_WWR;
    return check->patterns & ST_PATTERN_RWW && point->final;
}

/* The token of the unit that matches this point. */
static uint32_t find_token(const struct st_blocks_run *run, uint32_t unit, uint32_t variable,
                           const struct point *point) {
    const struct st_shape *shape = st_unit_shape(run->model, unit);
    uint32_t last_write = ST_NO_TOKEN, found = ST_NO_TOKEN;
    bool initial = true;
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->tokens[i].kind == ST_TOKEN_WRITE && shape->tokens[i].target == variable)
            last_write = i;
    for (uint32_t i = 0; i < shape->count && found == ST_NO_TOKEN; i++) {
        const struct st_token *token = &shape->tokens[i];
        if (!st_is_access(token) || token->target != variable)
            continue;
        if (token->kind == point->op && shape->locksets[i] == point->held &&
            (token->kind == ST_TOKEN_READ ? initial == (point->initial != 0)
                                          : (i == last_write) == (point->final != 0)))
            found = i;
        initial &= token->kind == ST_TOKEN_READ;
    }
    return found;
}

/* If there are several variables, reports the one with the smallest number, so that the result does
 * not depend on which of our threads comes first. */
static void report(const struct check *check, uint32_t unit, const struct st_1v_entry *entry,
                   uint32_t variable, const struct point *point, uint32_t other) {
    struct st_blocks_run *run = check->run;
    struct st_pair_finding finding = {
        .variables = {variable, ST_BLOCKS_NO_VARIABLE},
        .tokens = {entry->tokens[0], entry->tokens[1]},
        .other = other,
        .others = {find_token(run, other, variable, point), ST_NO_TOKEN}};
    if (run->cut_variables)
        run->cut_variables[variable] = true; /* one worker has all of a variable */
    pthread_mutex_lock(&run->lock);
    uint32_t old = atomic_load_explicit(&check->found[unit], memory_order_relaxed);
    if (!old || variable + 1 < old) {
        atomic_store_explicit(&check->found[unit], variable + 1, memory_order_relaxed);
        run->findings[unit] = finding;
        run->verdicts[unit] = ST_BLOCK_POTENTIAL;
    }
    pthread_mutex_unlock(&run->lock);
}

/* Lists the points that may come between the two accesses of the pair, if they can run at that
 * time. */
static size_t list_suspects(const struct check *check, const struct st_1v_pair *pair,
                            const struct points *points, uint32_t *suspects) {
    size_t count = 0;
    for (uint32_t i = 0; i < points->count; i++)
        if (is_unserializable(check, pair, &points->items[i]) &&
            st_locksets_disjoint(&check->run->locksets, points->items[i].held, pair->between))
            suspects[count++] = i;
    return count;
}

/* Is it asked for which variables something is reported, and not known of this one? */
static bool is_wanted(const struct st_blocks_run *run, uint32_t variable) {
    return run->cut_variables && !run->cut_variables[variable];
}

static void check_entry(const struct check *check, const struct st_1v_entry *entry,
                        uint32_t variable, const struct points *points, const uint32_t *suspects,
                        size_t suspect_count) {
    const struct st_blocks_run *run = check->run;
    for (size_t i = run->first_unit[entry->shape]; i < run->first_unit[entry->shape + 1]; i++) {
        uint32_t unit = run->units[i];
        uint32_t found = atomic_load_explicit(&check->found[unit], memory_order_relaxed);
        bool known = found && found <= variable + 1;
        if (!run->model->units[unit].transaction || (known && !is_wanted(run, variable)))
            continue;
        for (size_t k = 0; k < suspect_count; k++) {
            const struct point *point = &points->items[suspects[k]];
            uint32_t other = st_unit_list_meet(run, &point->units, unit);
            if (other == ST_NO_UNIT)
                continue;
            report(check, unit, entry, variable, point, other);
            break;
        }
    }
}

static void check_variable(void *context, unsigned worker, size_t variable) {
    (void)worker;
    const struct check *check = context;
    const struct st_1v_pairs *all = check->all;
    if (all->first_pair[variable] == all->first_pair[variable + 1])
        return;
    struct points points = list_points(check, (uint32_t)variable);
    uint32_t *suspects = st_alloc(points.count + 1, sizeof *suspects);
    for (size_t i = all->first_pair[variable]; i < all->first_pair[variable + 1]; i++) {
        uint32_t number = all->by_variable[i];
        const struct st_1v_pair *pair = st_1v_pair_at(all, number);
        if (pair->ops[1] == ST_NO_TOKEN)
            continue;
        size_t count = list_suspects(check, pair, &points, suspects);
        if (count)
            for (size_t k = all->first_entry[number]; k < all->first_entry[number + 1]; k++)
                check_entry(check, &all->entries[k], (uint32_t)variable, &points, suspects, count);
    }
    free(suspects);
    free_points(&points);
}

void st_1v_check(struct st_blocks_run *run, const struct st_1v_pairs *all, unsigned patterns) {
    struct check check = {.run = run, .all = all, .patterns = patterns};
    check.found = st_alloc(run->model->unit_count + 1, sizeof *check.found);
    if (!st_parallel_until(run->options->total, run->options->jobs, run->model->variable_count,
                           check_variable, &check))
        st_blocks_give_up(run);
    free((void *)check.found);
}
