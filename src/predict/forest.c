#include "predict/forest.h"

#include "base/map64.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* While entries are made. */
struct planting {
    struct st_forest *forest;
    struct st_map64 numbers; /* from what makes accesses alike to entries */
    uint32_t *last_write;    /* by variable: the token of the unit's last write so far plus 1 */
    uint32_t *final_write;   /* by variable: the token of its last write at all plus 1 */
    uint32_t *last_entry;    /* by variable: the entry of the last write so far */
};

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
             (uint32_t)like->writes | (uint32_t)like->final << 1 | (uint32_t)like->loose << 2};
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

/* The locks around token i whose critical section has token `write` in it, too. */
static uint32_t covered_set(struct planting *planting, const struct st_shape *shape, uint32_t i,
                            uint32_t write) {
    const struct st_locksets *sets = &planting->forest->model->locksets;
    uint32_t held = shape->locksets[i], covered = 0;
    for (uint32_t k = 0; k < st_lockset_size(sets, held); k++) {
        uint32_t lock = st_lockset_locks(sets, held)[k];
        uint32_t section = st_shape_section(shape, i, lock);
        if (section == ST_NO_TOKEN || section < write)
            covered = st_lockset_with(&planting->forest->covered, covered, lock);
    }
    return covered;
}

static void plant_access(struct planting *planting, uint32_t unit, const struct st_shape *shape,
                         uint32_t i) {
    const struct st_token *token = &shape->tokens[i];
    uint32_t variable = token->target, write = planting->last_write[variable];
    struct st_entry entry = {.subject = variable,
                             .lockset = shape->locksets[i],
                             .own_write = ST_NO_ENTRY,
                             .writes = token->kind == ST_TOKEN_WRITE};
    if (entry.writes) {
        entry.final = planting->final_write[variable] == i + 1;
        planting->last_entry[variable] = add_access(planting, unit, i, entry);
        planting->last_write[variable] = i + 1;
        return;
    }
    if (write) {
        entry.covered = covered_set(planting, shape, i, write - 1);
        entry.own_write = planting->last_entry[variable];
    }
    add_access(planting, unit, i, entry);
}

static void plant_lock(struct planting *planting, uint32_t unit, uint32_t token, uint32_t lock,
                       uint32_t lockset, bool loose) {
    const struct st_model *model = planting->forest->model;
    if (lock < model->first_atomic_lock && model->locks[lock].loose && model->locks[lock].contended)
        add_access(planting, unit, token,
                   (struct st_entry){.subject = (uint32_t)model->variable_count + lock,
                                     .lockset = lockset,
                                     .own_write = ST_NO_ENTRY,
                                     .loose = loose});
}

static void plant_unit(struct planting *planting, uint32_t unit) {
    const struct st_shape *shape = st_unit_shape(planting->forest->model, unit);
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->tokens[i].kind == ST_TOKEN_WRITE)
            planting->final_write[shape->tokens[i].target] = i + 1;
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
            planting->final_write[shape->tokens[i].target] = 0;
            planting->last_write[shape->tokens[i].target] = 0;
        }
    planting->forest->nodes += shape->count + 1;
}

/* ---- which entries meet ---- */

bool st_can_read(const struct st_forest *forest, const struct st_entry *read,
                 const struct st_entry *write) {
    const struct st_locksets *sets = &forest->covered;
    const uint32_t *locks = st_lockset_locks(sets, read->covered);
    for (uint32_t i = 0; i < st_lockset_size(sets, read->covered); i++)
        if (st_lockset_has(&forest->model->locksets, write->lockset, locks[i]))
            return false;
    return true;
}

static bool are_concurrent(const struct st_model *model, const struct st_entry *a,
                           const struct st_entry *b) {
    return model->periods->items[a->first_period].thread !=
               model->periods->items[b->first_period].thread &&
           !st_period_before(model->periods, a->last_period, b->first_period) &&
           !st_period_before(model->periods, b->last_period, a->first_period);
}

static bool meet_directly(const struct st_forest *forest, const struct st_entry *a,
                          const struct st_entry *b, enum st_notion notion) {
    if (!are_concurrent(forest->model, a, b))
        return false;
    if (a->subject >= forest->model->variable_count)
        return a->loose || b->loose;
    if (a->writes && b->writes)
        return notion == ST_NOTION_CONFLICT || (a->final && b->final);
    if (a->writes)
        return st_can_read(forest, b, a);
    return b->writes && st_can_read(forest, a, b);
}

static void join_entries(struct st_forest *forest, struct st_subject *subject, uint32_t i,
                         uint32_t j) {
    uint64_t *row = subject->meets + (size_t)i * subject->words;
    if (row[j / 64] >> j % 64 & 1)
        return;
    row[j / 64] |= UINT64_C(1) << j % 64;
    subject->meets[(size_t)j * subject->words + i / 64] |= UINT64_C(1) << i % 64;
    forest->edges++;
}

/* View-atomicity: two writes that can both be seen by one read must keep their order, too. */
static void join_seen_together(struct st_forest *forest, struct st_subject *subject, uint32_t read,
                               bool as_published, uint32_t *seen) {
    const struct st_entry *reader = &forest->entries[subject->entries[read]];
    const uint64_t *row = subject->meets + (size_t)read * subject->words;
    uint32_t count = 0;
    for (uint32_t j = 0; j < subject->count; j++)
        if (row[j / 64] >> j % 64 & 1)
            seen[count++] = j;
    if (count && reader->own_write != ST_NO_ENTRY)
        seen[count++] = forest->entries[reader->own_write].place;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            if (as_published ||
                are_concurrent(forest->model, &forest->entries[subject->entries[seen[i]]],
                               &forest->entries[subject->entries[seen[j]]]))
                join_entries(forest, subject, seen[i], seen[j]);
}

static void join_subject(struct st_forest *forest, struct st_subject *subject,
                         enum st_notion notion, bool as_published) {
    subject->words = subject->count / 64 + 1;
    subject->meets = st_alloc((size_t)subject->count * subject->words + 1, sizeof *subject->meets);
    for (uint32_t i = 0; i < subject->count; i++)
        for (uint32_t j = i + 1; j < subject->count; j++)
            if (meet_directly(forest, &forest->entries[subject->entries[i]],
                              &forest->entries[subject->entries[j]], notion))
                join_entries(forest, subject, i, j);
    if (notion != ST_NOTION_VIEW)
        return;
    uint32_t *seen = st_alloc((size_t)subject->count + 1, sizeof *seen);
    for (uint32_t i = 0; i < subject->count; i++) {
        const struct st_entry *entry = &forest->entries[subject->entries[i]];
        if (entry->subject < forest->model->variable_count && !entry->writes)
            join_seen_together(forest, subject, i, as_published, seen);
    }
    free(seen);
}

/* ---- the forest ---- */

static void plant(struct st_forest *forest) {
    const struct st_model *model = forest->model;
    struct planting planting = {.forest = forest};
    st_map64_init(&planting.numbers);
    planting.last_write = st_alloc(model->variable_count + 1, sizeof(uint32_t));
    planting.final_write = st_alloc(model->variable_count + 1, sizeof(uint32_t));
    planting.last_entry = st_alloc(model->variable_count + 1, sizeof(uint32_t));
    for (uint32_t unit = 0; unit < model->unit_count; unit++) {
        forest->first_access[unit] = forest->access_count;
        plant_unit(&planting, unit);
    }
    forest->first_access[model->unit_count] = forest->access_count;
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

struct st_forest *st_forest_new(const struct st_model *model, enum st_notion notion,
                                bool as_published) {
    struct st_forest *forest = st_alloc(1, sizeof *forest);
    forest->model = model;
    st_locksets_init(&forest->covered);
    forest->first_access = st_alloc(model->unit_count + 1, sizeof *forest->first_access);
    forest->subject_count = model->variable_count + model->first_atomic_lock;
    forest->subjects = st_alloc(forest->subject_count + 1, sizeof *forest->subjects);
    plant(forest);
    sort_entries(forest);
    for (size_t i = 0; i < forest->subject_count; i++)
        if (forest->subjects[i].count)
            join_subject(forest, &forest->subjects[i], notion, as_published);
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
    st_locksets_free(&forest->covered);
    free(forest);
}

struct st_span st_meeting_node(const struct st_model *model, uint32_t unit, uint32_t token,
                               uint32_t lockset) {
    struct st_span span;
    if (!st_shape_outermost(st_unit_shape(model, unit), &model->locksets, token, lockset, &span))
        span = (struct st_span){token + 1, token + 1};
    return span;
}
