#define _GNU_SOURCE
#include "predict/commit/forest.h"

#include "base/intern.h"
#include "base/map64.h"
#include "base/memory.h"
#include "predict/parallel.h"

#include <stdlib.h>
#include <string.h>

/* For each thread that writes a variable, the last unit in which it does. */
struct writers {
    uint32_t *units;
    uint32_t count; /* its room is a power of two */
};

#define SEVERAL UINT32_MAX

/* Accesses with equal keys are alike. */
struct entry_key {
    uint32_t subject, lockset, covered, own_write, first_period, last_period, flags;
};

/* State for making entries. */
struct planting {
    struct st_forest *forest;
    struct st_intern keys;   /* by entry */
    uint32_t *last_write;    /* by subject: the token of the unit's last write so far, plus 1 */
    uint32_t *final_write;   /* by subject: the token of the unit's very last write, plus 1 */
    uint32_t *last_entry;    /* by subject: the entry of the last write so far */
    struct writers *writers; /* by subject */
    struct st_map64 holders; /* a variable and a lock that is held at accesses to it */
    uint32_t *holder;        /* the thread that then holds it, or SEVERAL */
    size_t holder_capacity;
    struct st_map64 narrowed; /* a variable and a lockset of the model */
    uint32_t *narrow;         /* the same lockset without locks that only one thread holds there */
    size_t narrow_capacity;
    enum st_notion notion;
    bool as_published;
};

/* ---- subjects ---- */

static uint32_t subject_of(const struct st_forest *forest, uint32_t variable) {
    return forest->numbers[variable] - 1;
}

/* Shapes contain few of a trace's variables. */
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

/* Can the unit's last write of the variable be the last of a whole schedule? The paper assumes that
 * it can, and so reports blocks whose writes are always overwritten. */
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

/* Removes the locks that no other thread holds when it accesses the variable: they keep no one away
 * from it. That makes many accesses alike. */
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
    const struct entry_key key = {like->subject,
                                  like->lockset,
                                  like->covered,
                                  like->own_write,
                                  like->first_period,
                                  like->last_period,
                                  (uint32_t)like->writes | (uint32_t)like->final << 1 |
                                      (uint32_t)like->loose << 2 | (uint32_t)like->last << 3};
    uint32_t known = planting->keys.count;
    uint32_t number = st_intern_add(&planting->keys, &key, sizeof key);
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

/* Of the locks held at token i, those whose critical section also contains token `write`. */
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

/* The same set in the forest's own table. */
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

/* ---- the forest ---- */

static void plant(struct st_forest *forest, enum st_notion notion, bool as_published) {
    const struct st_model *model = forest->model;
    struct planting planting = {.forest = forest, .notion = notion, .as_published = as_published};
    st_map64_init(&planting.holders);
    st_map64_init(&planting.narrowed);
    st_intern_init(&planting.keys, sizeof(struct entry_key));
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
    st_intern_free(&planting.keys);
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
    if (subject->count)
        st_join_subject(joining->forest, subject, joining->notion, joining->as_published);
}

static void number_guards(struct st_forest *forest, struct st_subject *subject) {
    for (size_t i = 0; i < subject->row_count; i++)
        subject->rows[i].guard =
            st_guard_list_number(&subject->guards, subject->rows[i].guard, &forest->sets);
    free(subject->guards.words);
    subject->guards = (struct st_guard_list){0};
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
    struct joining joining = {forest, notion, as_published};
    st_parallel(jobs, forest->subject_count, join_piece, &joining);
    for (size_t i = 0; i < forest->subject_count; i++) {
        number_guards(forest, &forest->subjects[i]);
        forest->edges += forest->subjects[i].edges;
    }
    return forest;
}

void st_forest_free(struct st_forest *forest) {
    for (size_t i = 0; i < forest->entry_count; i++)
        free(forest->entries[i].units);
    for (size_t i = 0; i < forest->subject_count; i++) {
        free(forest->subjects[i].entries);
        free(forest->subjects[i].row_of);
        free(forest->subjects[i].rows);
        free(forest->subjects[i].words);
    }
    free(forest->entries);
    free(forest->subjects);
    free(forest->accesses);
    free(forest->first_access);
    free(forest->variables);
    free(forest->numbers);
    st_locksets_free(&forest->sets);
    free(forest);
}

bool st_can_read(const struct st_forest *forest, const struct st_entry *read,
                 const struct st_entry *write) {
    return st_locksets_disjoint(&forest->sets, read->covered, write->lockset);
}

struct st_shape_span st_meeting_node(const struct st_forest *forest, uint32_t unit, uint32_t token,
                                     uint32_t lockset) {
    struct st_shape_span span;
    if (!st_shape_outermost(st_unit_shape(forest->model, unit), &forest->sets, token, lockset,
                            &span))
        span = (struct st_shape_span){token + 1, token + 1};
    return span;
}
