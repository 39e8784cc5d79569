#define _GNU_SOURCE
#include "predict/forest.h"

#include "base/map64.h"
#include "base/memory.h"
#include "predict/parallel.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* For each thread that writes a variable: the last unit in which it does. */
struct writers {
    uint32_t *units;
    uint32_t count; /* its room is a power of two */
};

#define SEVERAL UINT32_MAX

/* While entries are made. */
struct planting {
    struct st_forest *forest;
    struct st_map64 numbers; /* from what makes accesses alike to entries */
    uint32_t *last_write;    /* by subject: the token of the unit's last write so far plus 1 */
    uint32_t *final_write;   /* by subject: the token of its last write at all plus 1 */
    uint32_t *last_entry;    /* by subject: the entry of the last write so far */
    struct writers *writers; /* by subject */
    struct st_map64 holders; /* a variable and a lock that is held at accesses to it */
    uint32_t *holder;        /* the thread that holds it then, or SEVERAL */
    size_t holder_capacity;
    struct st_map64 narrowed; /* a variable and a lockset of the model */
    uint32_t *narrow;         /* the same without locks that only one thread holds there */
    size_t narrow_capacity;
    enum st_notion notion;
    bool as_published;
};

/* ---- subjects ---- */

static uint32_t subject_of(const struct st_forest *forest, uint32_t variable) {
    return forest->numbers[variable] - 1;
}

/* Few of a trace's variables are in shapes. */
static void number_variables(struct st_forest *forest) {
    const struct st_model *model = forest->model;
    size_t capacity = 0;
    forest->numbers = st_alloc(model->variable_count + 1, sizeof *forest->numbers);
    for (size_t i = 0; i < model->shapes.count; i++) {
        const struct st_shape *shape = &model->shapes.items[i];
        for (uint32_t j = 0; j < shape->count; j++) {
            uint32_t variable = shape->tokens[j].target;
            if (shape->tokens[j].kind > ST_TOKEN_WRITE || forest->numbers[variable])
                continue;
            st_reserve(&forest->variables, &capacity, (size_t)forest->variable_count + 1);
            forest->variables[forest->variable_count] = variable;
            forest->numbers[variable] = ++forest->variable_count;
        }
    }
}

/* ---- last writes ---- */

static void note_writer(const struct st_model *model, struct writers *writers, uint32_t unit) {
    for (uint32_t i = 0; i < writers->count; i++)
        if (model->units[writers->units[i]].thread == model->units[unit].thread) {
            if (model->units[writers->units[i]].end < model->units[unit].end)
                writers->units[i] = unit;
            return;
        }
    if (!(writers->count & (writers->count - 1)))
        writers->units =
            st_realloc(writers->units, writers->count ? writers->count * 2 : 1, sizeof(uint32_t));
    writers->units[writers->count++] = unit;
}

/* Must one of the writers come after the unit? */
static bool has_later(const struct st_model *model, const struct writers *writers, uint32_t unit) {
    const struct st_unit *earlier = &model->units[unit];
    for (uint32_t i = 0; i < writers->count; i++) {
        const struct st_unit *other = &model->units[writers->units[i]];
        if (other->thread == earlier->thread
                ? other->end > earlier->end
                : st_period_before(model->periods, earlier->last_period, other->first_period))
            return true;
    }
    return false;
}

/* Can the unit's last write of the variable be the last of a whole schedule? The paper takes that
 * for granted, which reports blocks whose writes are always overwritten. */
static bool can_be_last(const struct planting *planting, uint32_t subject, uint32_t unit) {
    return planting->as_published ||
           !has_later(planting->forest->model, &planting->writers[subject], unit);
}

static void note_writers(struct planting *planting) {
    const struct st_model *model = planting->forest->model;
    for (uint32_t unit = 0; unit < model->unit_count; unit++) {
        const struct st_shape *shape = st_unit_shape(model, unit);
        for (uint32_t i = 0; i < shape->count; i++)
            if (shape->tokens[i].kind == ST_TOKEN_WRITE)
                note_writer(
                    model,
                    &planting->writers[subject_of(planting->forest, shape->tokens[i].target)],
                    unit);
    }
}

/* ---- locks that matter ---- */

static uint64_t pair_key(uint32_t variable, uint32_t other) {
    return (uint64_t)variable << 32 | other;
}

static void note_lock(struct planting *planting, uint32_t variable, uint32_t lock,
                      uint32_t thread) {
    uint32_t known = planting->holders.count;
    uint32_t number = st_map64_number(&planting->holders, pair_key(variable, lock));
    st_reserve(&planting->holder, &planting->holder_capacity, (size_t)number + 1);
    if (number == known)
        planting->holder[number] = thread;
    else if (planting->holder[number] != thread)
        planting->holder[number] = SEVERAL;
}

static void note_locks(struct planting *planting) {
    const struct st_model *model = planting->forest->model;
    for (uint32_t unit = 0; unit < model->unit_count; unit++) {
        const struct st_shape *shape = st_unit_shape(model, unit);
        for (uint32_t i = 0; i < shape->count; i++) {
            if (shape->tokens[i].kind > ST_TOKEN_WRITE)
                continue;
            const uint32_t *locks = st_lockset_locks(&model->locksets, shape->locksets[i]);
            for (uint32_t k = 0; k < st_lockset_size(&model->locksets, shape->locksets[i]); k++)
                note_lock(planting, shape->tokens[i].target, locks[k], model->units[unit].thread);
        }
    }
}

/* The lockset without locks that no other thread holds when it accesses the variable: they keep
 * nobody away from it. That makes many accesses alike. */
static uint32_t narrow_set(struct planting *planting, uint32_t variable, uint32_t lockset) {
    const struct st_locksets *sets = &planting->forest->model->locksets;
    uint32_t known = planting->narrowed.count, narrow = 0;
    if (!lockset)
        return 0;
    uint32_t number = st_map64_number(&planting->narrowed, pair_key(variable, lockset));
    if (number < known)
        return planting->narrow[number];
    for (uint32_t k = 0; k < st_lockset_size(sets, lockset); k++) {
        uint32_t lock = st_lockset_locks(sets, lockset)[k];
        uint32_t holder = st_map64_find(&planting->holders, pair_key(variable, lock));
        if (planting->holder[holder] == SEVERAL)
            narrow = st_lockset_with(&planting->forest->sets, narrow, lock);
    }
    st_reserve(&planting->narrow, &planting->narrow_capacity, (size_t)number + 1);
    planting->narrow[number] = narrow;
    return narrow;
}

/* ---- entries ---- */

static void add_unit(struct st_entry *entry, uint32_t unit) {
    if (entry->unit_count && entry->units[entry->unit_count - 1] == unit)
        return;
    if (!(entry->unit_count & (entry->unit_count - 1)))
        entry->units = st_realloc(entry->units, entry->unit_count ? entry->unit_count * 2 : 1,
                                  sizeof *entry->units);
    entry->units[entry->unit_count++] = unit;
}

static uint32_t entry_like(struct planting *planting, const struct st_entry *like) {
    struct st_forest *forest = planting->forest;
    struct {
        uint32_t subject, lockset, covered, own_write, first_period, last_period, flags;
    } key = {like->subject,
             like->lockset,
             like->covered,
             like->own_write,
             like->first_period,
             like->last_period,
             (uint32_t)like->writes | (uint32_t)like->final << 1 | (uint32_t)like->loose << 2 |
                 (uint32_t)like->last << 3};
    uint32_t known = planting->numbers.count;
    uint32_t number = st_map64_number(&planting->numbers, XXH3_64bits(&key, sizeof key));
    if (number < known)
        return number;
    st_reserve(&forest->entries, &forest->entry_capacity, (size_t)number + 1);
    forest->entries[number] = *like;
    forest->entry_count = (size_t)number + 1;
    return number;
}

static uint32_t add_access(struct planting *planting, uint32_t unit, uint32_t token,
                           struct st_entry entry) {
    struct st_forest *forest = planting->forest;
    entry.first_period = forest->model->units[unit].first_period;
    entry.last_period = forest->model->units[unit].last_period;
    uint32_t number = entry_like(planting, &entry);
    add_unit(&forest->entries[number], unit);
    st_reserve(&forest->accesses, &forest->access_capacity, forest->access_count + 1);
    forest->accesses[forest->access_count++] = (struct st_unit_access){token, number};
    return number;
}

/* Those of the locks held at token i whose critical section has token `write` in it, too. */
static uint32_t covered_set(struct planting *planting, const struct st_shape *shape, uint32_t i,
                            uint32_t held, uint32_t write) {
    struct st_locksets *sets = &planting->forest->sets;
    uint32_t covered = 0;
    for (uint32_t k = 0; k < st_lockset_size(sets, held); k++) {
        uint32_t lock = st_lockset_locks(sets, held)[k];
        uint32_t section = st_shape_section(shape, i, lock);
        if (section == ST_NO_TOKEN || section < write)
            covered = st_lockset_with(sets, covered, lock);
    }
    return covered;
}

static void plant_access(struct planting *planting, uint32_t unit, const struct st_shape *shape,
                         uint32_t i) {
    const struct st_token *token = &shape->tokens[i];
    uint32_t variable = token->target, subject = subject_of(planting->forest, variable);
    uint32_t write = planting->last_write[subject];
    bool view = planting->notion == ST_NOTION_VIEW;
    struct st_entry entry = {.subject = subject,
                             .lockset = narrow_set(planting, variable, shape->locksets[i]),
                             .own_write = ST_NO_ENTRY,
                             .writes = token->kind == ST_TOKEN_WRITE};
    if (entry.writes) {
        entry.final = view && planting->final_write[subject] == i + 1;
        entry.last = entry.final && can_be_last(planting, subject, unit);
        planting->last_entry[subject] = add_access(planting, unit, i, entry);
        planting->last_write[subject] = i + 1;
        return;
    }
    if (write) {
        entry.covered = covered_set(planting, shape, i, entry.lockset, write - 1);
        if (view)
            entry.own_write = planting->last_entry[subject];
    }
    add_access(planting, unit, i, entry);
}

/* The set in the table of the forest. */
static uint32_t copy_set(struct st_forest *forest, uint32_t lockset) {
    const struct st_locksets *sets = &forest->model->locksets;
    return st_lockset_of(&forest->sets, st_lockset_locks(sets, lockset),
                         st_lockset_size(sets, lockset));
}

static void plant_lock(struct planting *planting, uint32_t unit, uint32_t token, uint32_t lock,
                       uint32_t lockset, bool loose) {
    const struct st_model *model = planting->forest->model;
    if (lock < model->first_atomic_lock && model->locks[lock].loose && model->locks[lock].contended)
        add_access(planting, unit, token,
                   (struct st_entry){.subject = planting->forest->variable_count + lock,
                                     .lockset = copy_set(planting->forest, lockset),
                                     .own_write = ST_NO_ENTRY,
                                     .loose = loose});
}

static void plant_unit(struct planting *planting, uint32_t unit) {
    const struct st_shape *shape = st_unit_shape(planting->forest->model, unit);
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->tokens[i].kind == ST_TOKEN_WRITE)
            planting->final_write[subject_of(planting->forest, shape->tokens[i].target)] = i + 1;
    for (uint32_t i = 0; i < shape->held_count; i++)
        plant_lock(planting, unit, ST_NO_TOKEN, shape->held[i], shape->held_set, true);
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct st_token *token = &shape->tokens[i];
        if (token->kind == ST_TOKEN_READ || token->kind == ST_TOKEN_WRITE)
            plant_access(planting, unit, shape, i);
        else if (token->kind == ST_TOKEN_ACQUIRE)
            plant_lock(planting, unit, i, token->target, shape->locksets[i],
                       shape->ends[i] == shape->count);
    }
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->tokens[i].kind == ST_TOKEN_WRITE) {
            uint32_t subject = subject_of(planting->forest, shape->tokens[i].target);
            planting->final_write[subject] = planting->last_write[subject] = 0;
        }
    planting->forest->nodes += shape->count + 1;
}

/* ---- which entries meet ---- */

bool st_can_read(const struct st_forest *forest, const struct st_entry *read,
                 const struct st_entry *write) {
    return st_locksets_disjoint(&forest->sets, read->covered, write->lockset);
}

static bool are_concurrent(const struct st_forest *forest, const struct st_entry *a,
                           const struct st_entry *b) {
    const struct st_periods *periods = forest->model->periods;
    if (forest->concurrent && a->first_period == a->last_period &&
        b->first_period == b->last_period)
        return forest->concurrent[a->first_period * periods->count + b->first_period];
    return periods->items[a->first_period].thread != periods->items[b->first_period].thread &&
           !st_period_before(periods, a->last_period, b->first_period) &&
           !st_period_before(periods, b->last_period, a->first_period);
}

/* Asked for each pair of entries of a variable, so it is worth a table where that is not huge. */
static void compare_periods(struct st_forest *forest) {
    enum { MOST = 2048 };
    const struct st_periods *periods = forest->model->periods;
    if (periods->count > MOST)
        return;
    forest->concurrent = st_alloc(periods->count * periods->count + 1, sizeof(bool));
    for (uint32_t i = 0; i < periods->count; i++)
        for (uint32_t j = 0; j < periods->count; j++)
            forest->concurrent[i * periods->count + j] = st_periods_concurrent(periods, i, j);
}

/* Do entries of these kinds meet? Locks matter only where a read has a write of its own before it.
 */
enum relation { NEVER, ALWAYS, BY_LOCKS };

static enum relation relate(const struct st_forest *forest, const struct st_entry *a,
                            const struct st_entry *b, enum st_notion notion) {
    bool is_lock = a->subject >= forest->variable_count;
    if (is_lock ? !a->loose && !b->loose : !a->writes && !b->writes)
        return NEVER;
    if (!are_concurrent(forest, a, b))
        return NEVER;
    if (is_lock)
        return ALWAYS;
    if (a->writes && b->writes)
        return notion == ST_NOTION_CONFLICT || (a->last && b->last) ? ALWAYS : NEVER;
    return a->covered || b->covered ? BY_LOCKS : ALWAYS;
}

static void join_entries(struct st_subject *subject, uint32_t i, uint32_t j) {
    uint64_t *row = subject->meets + (size_t)i * subject->words;
    if (row[j / 64] >> j % 64 & 1)
        return;
    row[j / 64] |= UINT64_C(1) << j % 64;
    subject->meets[(size_t)j * subject->words + i / 64] |= UINT64_C(1) << i % 64;
}

/* ---- entries of one kind ----
 *
 * There can be thousands of entries of one variable that differ only in their locks. Those that
 * agree in all else stand together, and whether two kinds meet is asked once for all. */

static int by_kind(const void *left, const void *right, void *context) {
    const struct st_forest *forest = context;
    const struct st_entry *a = &forest->entries[*(const uint32_t *)left];
    const struct st_entry *b = &forest->entries[*(const uint32_t *)right];
    const uint32_t keys[][2] = {{a->writes, b->writes},
                                {a->loose, b->loose},
                                {a->last, b->last},
                                {a->covered, b->covered},
                                {a->first_period, b->first_period},
                                {a->last_period, b->last_period}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Puts the entries in order. Returns where each kind starts, and behind the last, their count. */
static uint32_t *sort_by_kind(struct st_forest *forest, struct st_subject *subject,
                              uint32_t *kinds) {
    uint32_t *starts = st_alloc((size_t)subject->count + 1, sizeof *starts);
    qsort_r(subject->entries, subject->count, sizeof *subject->entries, by_kind, forest);
    *kinds = 0;
    for (uint32_t i = 0; i < subject->count; i++) {
        forest->entries[subject->entries[i]].place = i;
        if (i == 0 || by_kind(&subject->entries[i - 1], &subject->entries[i], forest) != 0)
            starts[(*kinds)++] = i;
    }
    starts[*kinds] = subject->count;
    return starts;
}

static void set_range(uint64_t *bits, uint32_t first, uint32_t end) {
    for (; first < end && first % 64; first++)
        bits[first / 64] |= UINT64_C(1) << first % 64;
    for (; first + 64 <= end; first += 64)
        bits[first / 64] = UINT64_MAX;
    for (; first < end; first++)
        bits[first / 64] |= UINT64_C(1) << first % 64;
}

static void join_by_locks(const struct st_forest *forest, struct st_subject *subject,
                          const uint32_t *a, const uint32_t *b) {
    for (uint32_t i = a[0]; i < a[1]; i++)
        for (uint32_t j = b[0]; j < b[1]; j++) {
            const struct st_entry *one = &forest->entries[subject->entries[i]];
            const struct st_entry *other = &forest->entries[subject->entries[j]];
            if (one->writes ? st_can_read(forest, other, one) : st_can_read(forest, one, other))
                join_entries(subject, i, j);
        }
}

static void join_directly(struct st_forest *forest, struct st_subject *subject,
                          enum st_notion notion) {
    uint32_t kinds, *starts = sort_by_kind(forest, subject, &kinds);
    for (uint32_t a = 0; a < kinds; a++) {
        uint64_t *row = subject->meets + (size_t)starts[a] * subject->words;
        for (uint32_t b = 0; b < kinds; b++)
            if (relate(forest, &forest->entries[subject->entries[starts[a]]],
                       &forest->entries[subject->entries[starts[b]]], notion) == ALWAYS)
                set_range(row, starts[b], starts[b + 1]);
        for (uint32_t i = starts[a] + 1; i < starts[a + 1]; i++)
            memcpy(subject->meets + (size_t)i * subject->words, row, subject->words * sizeof *row);
    }
    for (uint32_t a = 0; a < kinds; a++)
        for (uint32_t b = a + 1; b < kinds; b++)
            if (relate(forest, &forest->entries[subject->entries[starts[a]]],
                       &forest->entries[subject->entries[starts[b]]], notion) == BY_LOCKS)
                join_by_locks(forest, subject, &starts[a], &starts[b]);
    free(starts);
}

/* Must some unit with the write end before some unit with the read begins, and is the write the
 * last one in its unit? The read can see it then. */
static bool is_seen_later(const struct st_forest *forest, const struct st_entry *write,
                          const struct st_entry *read) {
    const struct st_model *model = forest->model;
    if (!write->final || read->own_write != ST_NO_ENTRY)
        return false;
    for (uint32_t i = 0; i < read->unit_count; i++)
        if (read->units[i] != write->units[0] &&
            st_unit_before(model, write->units[0], read->units[i]))
            return true;
    return false;
}

/* The places of the writes that the read can see. The paper looks at concurrent ones only, and at
 * the last one before the read in its own unit; but what was written before is seen, too. */
static uint32_t find_seen(const struct st_forest *forest, const struct st_subject *subject,
                          uint32_t read, bool as_published, uint32_t *seen) {
    const struct st_entry *reader = &forest->entries[subject->entries[read]];
    const uint64_t *row = subject->meets + (size_t)read * subject->words;
    uint32_t count = 0, concurrent;
    for (uint32_t j = 0; j < subject->count; j++)
        if (row[j / 64] >> j % 64 & 1)
            seen[count++] = j;
    concurrent = count;
    if (concurrent && reader->own_write != ST_NO_ENTRY)
        seen[count++] = forest->entries[reader->own_write].place;
    for (uint32_t j = 0; j < subject->count && !as_published; j++) {
        const struct st_entry *write = &forest->entries[subject->entries[j]];
        if (write->writes && is_seen_later(forest, write, reader))
            seen[count++] = j;
    }
    return count;
}

/* View-atomicity: two writes that can both be seen by one read must keep their order, too. */
static void join_seen_together(struct st_forest *forest, struct st_subject *subject, uint32_t read,
                               bool as_published, uint32_t *seen) {
    uint32_t count = find_seen(forest, subject, read, as_published, seen);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            if (as_published || are_concurrent(forest, &forest->entries[subject->entries[seen[i]]],
                                               &forest->entries[subject->entries[seen[j]]]))
                join_entries(subject, seen[i], seen[j]);
}

static void count_edges(struct st_subject *subject) {
    uint64_t ends = 0;
    for (size_t i = 0; i < (size_t)subject->count * subject->words; i++)
        ends += (unsigned)__builtin_popcountll(subject->meets[i]);
    subject->edges = ends / 2;
}

static void join_subject(struct st_forest *forest, struct st_subject *subject,
                         enum st_notion notion, bool as_published) {
    subject->words = subject->count / 64 + 1;
    subject->meets = st_alloc((size_t)subject->count * subject->words + 1, sizeof *subject->meets);
    join_directly(forest, subject, notion);
    if (notion != ST_NOTION_VIEW)
        return;
    uint32_t *seen = st_alloc((size_t)subject->count * 2 + 1, sizeof *seen);
    for (uint32_t i = 0; i < subject->count; i++) {
        const struct st_entry *entry = &forest->entries[subject->entries[i]];
        if (entry->subject < forest->variable_count && !entry->writes)
            join_seen_together(forest, subject, i, as_published, seen);
    }
    free(seen);
}

/* ---- the forest ---- */

static void plant(struct st_forest *forest, enum st_notion notion, bool as_published) {
    const struct st_model *model = forest->model;
    struct planting planting = {.forest = forest, .notion = notion, .as_published = as_published};
    st_map64_init(&planting.holders);
    st_map64_init(&planting.narrowed);
    st_map64_init(&planting.numbers);
    planting.last_write = st_alloc((size_t)forest->variable_count + 1, sizeof(uint32_t));
    planting.final_write = st_alloc((size_t)forest->variable_count + 1, sizeof(uint32_t));
    planting.last_entry = st_alloc((size_t)forest->variable_count + 1, sizeof(uint32_t));
    planting.writers = st_alloc((size_t)forest->variable_count + 1, sizeof *planting.writers);
    note_writers(&planting);
    note_locks(&planting);
    for (uint32_t unit = 0; unit < model->unit_count; unit++) {
        forest->first_access[unit] = forest->access_count;
        plant_unit(&planting, unit);
    }
    forest->first_access[model->unit_count] = forest->access_count;
    for (size_t i = 0; i < forest->variable_count; i++)
        free(planting.writers[i].units);
    free(planting.writers);
    st_map64_free(&planting.holders);
    st_map64_free(&planting.narrowed);
    free(planting.holder);
    free(planting.narrow);
    free(planting.last_write);
    free(planting.final_write);
    free(planting.last_entry);
    st_map64_free(&planting.numbers);
}

static void sort_entries(struct st_forest *forest) {
    for (uint32_t i = 0; i < forest->entry_count; i++) {
        struct st_subject *subject = &forest->subjects[forest->entries[i].subject];
        if (!(subject->count & (subject->count - 1)))
            subject->entries = st_realloc(subject->entries, subject->count ? subject->count * 2 : 1,
                                          sizeof(uint32_t));
        forest->entries[i].place = subject->count;
        subject->entries[subject->count++] = i;
    }
}

struct joining {
    struct st_forest *forest;
    enum st_notion notion;
    bool as_published;
};

static void join_piece(void *context, unsigned worker, size_t index) {
    const struct joining *joining = context;
    (void)worker;
    struct st_subject *subject = &joining->forest->subjects[index];
    if (!subject->count)
        return;
    join_subject(joining->forest, subject, joining->notion, joining->as_published);
    count_edges(subject);
}

struct st_forest *st_forest_new(const struct st_model *model, enum st_notion notion,
                                bool as_published, unsigned jobs) {
    struct st_forest *forest = st_alloc(1, sizeof *forest);
    forest->model = model;
    st_locksets_init(&forest->sets);
    forest->first_access = st_alloc(model->unit_count + 1, sizeof *forest->first_access);
    number_variables(forest);
    forest->subject_count = (size_t)forest->variable_count + model->first_atomic_lock;
    forest->subjects = st_alloc(forest->subject_count + 1, sizeof *forest->subjects);
    plant(forest, notion, as_published);
    sort_entries(forest);
    compare_periods(forest);
    struct joining joining = {forest, notion, as_published};
    st_parallel(jobs, forest->subject_count, join_piece, &joining);
    for (size_t i = 0; i < forest->subject_count; i++)
        forest->edges += forest->subjects[i].edges;
    return forest;
}

void st_forest_free(struct st_forest *forest) {
    for (size_t i = 0; i < forest->entry_count; i++)
        free(forest->entries[i].units);
    for (size_t i = 0; i < forest->subject_count; i++) {
        free(forest->subjects[i].entries);
        free(forest->subjects[i].meets);
    }
    free(forest->entries);
    free(forest->subjects);
    free(forest->accesses);
    free(forest->first_access);
    free(forest->concurrent);
    free(forest->variables);
    free(forest->numbers);
    st_locksets_free(&forest->sets);
    free(forest);
}

struct st_span st_meeting_node(const struct st_forest *forest, uint32_t unit, uint32_t token,
                               uint32_t lockset) {
    struct st_span span;
    if (!st_shape_outermost(st_unit_shape(forest->model, unit), &forest->sets, token, lockset,
                            &span))
        span = (struct st_span){token + 1, token + 1};
    return span;
}
