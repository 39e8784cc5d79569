#define _GNU_SOURCE
#include "predict/commit/forest.h"

#include "base/memory.h"
#include "base/number_table.h"
#include "predict/commit/narrow_locks.h"
#include "predict/parallel.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* For each thread that writes a variable, the last unit in which it does. */
struct writers {
    uint32_t *units;
    uint32_t count; /* its room is a power of two */
};

/* State for making entries. */
struct planting {
    struct st_forest *forest;
    struct st_number_table numbers; /* of entries, by what makes them alike */
    uint32_t *last_write;    /* by subject: the token of the unit's last write so far, plus 1 */
    uint32_t *final_write;   /* by subject: the token of the unit's very last write, plus 1 */
    uint32_t *last_entry;    /* by subject: the entry of the last write so far */
    struct writers *writers; /* by subject */
    struct st_narrow_locks locks;
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

static void note_locks(struct planting *planting) {
    const struct st_model *model = planting->forest->model;
    for (uint32_t unit = 0; unit < model->unit_count; unit++) {
        const struct st_shape *shape = st_unit_shape(model, unit);
        for (uint32_t i = 0; i < shape->count; i++)
            if (shape->tokens[i].kind <= ST_TOKEN_WRITE)
                st_narrow_locks_note(&planting->locks,
                                     subject_of(planting->forest, shape->tokens[i].target),
                                     shape->locksets[i], model->units[unit].thread);
    }
}

/* ---- entries ---- */

static uint32_t flags_of(const struct st_entry *entry) {
    return (uint32_t)entry->writes | (uint32_t)entry->final << 1 | (uint32_t)entry->loose << 2 |
           (uint32_t)entry->last << 3;
}

static uint64_t hash_entry(const struct st_entry *entry) {
    const uint32_t key[] = {entry->subject,   entry->lockset,      entry->covered,
                            entry->own_write, entry->first_period, entry->last_period,
                            flags_of(entry)};
    return XXH3_64bits(key, sizeof key);
}

/* An entry that is looked for. */
struct wanted {
    const struct st_entry *entries, *like;
};

static bool is_alike(const void *context, uint32_t number) {
    const struct wanted *wanted = context;
    const struct st_entry *a = &wanted->entries[number], *b = wanted->like;
    return a->subject == b->subject && a->lockset == b->lockset && a->covered == b->covered &&
           a->own_write == b->own_write && a->first_period == b->first_period &&
           a->last_period == b->last_period && flags_of(a) == flags_of(b);
}

static uint32_t entry_like(struct planting *planting, const struct st_entry *like) {
    struct st_forest *forest = planting->forest;
    const struct wanted wanted = {forest->entries, like};
    uint64_t hash = hash_entry(like);
    uint32_t known = st_numbers_find(&planting->numbers, hash, is_alike, &wanted);
    if (known != ST_NUMBER_NONE)
        return known;
    st_numbers_add(&planting->numbers, hash, (uint32_t)forest->entry_count);
    st_reserve_table(&forest->entries, &forest->entry_capacity, forest->entry_count + 1);
    forest->entries[forest->entry_count] = *like;
    return (uint32_t)forest->entry_count++;
}

static uint32_t add_access(struct planting *planting, uint32_t unit, uint32_t token,
                           struct st_entry entry) {
    struct st_forest *forest = planting->forest;
    entry.first_period = forest->model->units[unit].first_period;
    entry.last_period = forest->model->units[unit].last_period;
    uint32_t number = entry_like(planting, &entry);
    st_reserve_table(&forest->accesses, &forest->access_capacity, forest->access_count + 1);
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
    uint32_t subject = subject_of(planting->forest, token->target);
    uint32_t write = planting->last_write[subject];
    bool view = planting->notion == ST_NOTION_VIEW;
    struct st_entry entry = {.subject = subject,
                             .lockset =
                                 st_narrow_lockset(&planting->locks, subject, shape->locksets[i]),
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
    enum { FIRST_SLOTS = 256 };
    const struct st_model *model = forest->model;
    struct planting planting = {.forest = forest, .notion = notion, .as_published = as_published};
    st_narrow_locks_init(&planting.locks, forest->variable_count, &model->locksets, &forest->sets);
    st_numbers_grow(&planting.numbers, FIRST_SLOTS);
    planting.last_write = st_alloc((size_t)forest->variable_count + 1, sizeof(uint32_t));
    planting.final_write = st_alloc((size_t)forest->variable_count + 1, sizeof(uint32_t));
    planting.last_entry = st_alloc((size_t)forest->variable_count + 1, sizeof(uint32_t));
    planting.writers = st_alloc((size_t)forest->variable_count + 1, sizeof *planting.writers);
    if (notion == ST_NOTION_VIEW)
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
    st_narrow_locks_free(&planting.locks);
    free(planting.last_write);
    free(planting.final_write);
    free(planting.last_entry);
    st_numbers_free(&planting.numbers);
}

/* Makes the lists of the units of each entry, from the accesses of each unit. */
struct listing {
    struct st_forest *forest;
    uint32_t *last; /* by entry: the last unit that has it, plus 1 */
    bool fills;     /* the lists have room; before, units are only counted */
};

static void list_unit(struct listing *listing, uint32_t unit) {
    struct st_forest *forest = listing->forest;
    for (size_t a = forest->first_access[unit]; a < forest->first_access[unit + 1]; a++) {
        uint32_t number = forest->accesses[a].entry;
        struct st_entry *entry = &forest->entries[number];
        if (listing->last[number] == unit + 1)
            continue;
        listing->last[number] = unit + 1;
        if (listing->fills)
            entry->units[entry->unit_count] = unit;
        entry->unit_count++;
    }
}

/* Each entry gets room for its units, and has none of them yet. */
static void make_room(struct st_forest *forest) {
    size_t count = 0;
    for (size_t i = 0; i < forest->entry_count; i++)
        count += forest->entries[i].unit_count;
    forest->entry_units = st_alloc(count + 1, sizeof *forest->entry_units);
    uint32_t *room = forest->entry_units;
    for (size_t i = 0; i < forest->entry_count; i++) {
        forest->entries[i].units = room;
        room += forest->entries[i].unit_count;
        forest->entries[i].unit_count = 0;
    }
}

static void list_units(struct st_forest *forest) {
    struct listing listing = {.forest = forest};
    for (int round = 0; round < 2; round++) {
        listing.last = st_alloc(forest->entry_count + 1, sizeof *listing.last);
        listing.fills = round > 0;
        for (uint32_t unit = 0; unit < forest->model->unit_count; unit++)
            list_unit(&listing, unit);
        free(listing.last);
        if (!listing.fills)
            make_room(forest);
    }
}

/* Most subjects have few entries, and there are many millions of them. So their lists lie in one.
 */
static void sort_entries(struct st_forest *forest) {
    size_t first = 0;
    forest->subject_entries = st_alloc(forest->entry_count + 1, sizeof *forest->subject_entries);
    forest->subject_rows = st_alloc(forest->entry_count + 1, sizeof *forest->subject_rows);
    for (uint32_t i = 0; i < forest->entry_count; i++)
        forest->subjects[forest->entries[i].subject].count++;
    for (size_t i = 0; i < forest->subject_count; i++) {
        struct st_subject *subject = &forest->subjects[i];
        subject->entries = forest->subject_entries + first;
        subject->row_of = forest->subject_rows + first;
        first += subject->count;
        subject->count = 0;
    }
    for (uint32_t i = 0; i < forest->entry_count; i++) {
        struct st_subject *subject = &forest->subjects[forest->entries[i].subject];
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
    forest->ranks = st_lock_ranks(model);
    number_variables(forest);
    forest->subject_count = (size_t)forest->variable_count + model->first_atomic_lock;
    forest->subjects = st_alloc(forest->subject_count + 1, sizeof *forest->subjects);
    plant(forest, notion, as_published);
    list_units(forest);
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
    for (size_t i = 0; i < forest->subject_count; i++) {
        free(forest->subjects[i].rows);
        free(forest->subjects[i].words);
    }
    st_free_table(forest->entries, forest->entry_capacity, sizeof *forest->entries);
    st_free_table(forest->accesses, forest->access_capacity, sizeof *forest->accesses);
    free(forest->entry_units);
    free(forest->subject_entries);
    free(forest->subject_rows);
    free(forest->subjects);
    free(forest->first_access);
    free(forest->variables);
    free(forest->numbers);
    free(forest->ranks);
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
    if (!st_deciding_section(st_unit_shape(forest->model, unit), forest->ranks, &forest->sets,
                             token, lockset, &span))
        span = (struct st_shape_span){token + 1, token + 1};
    return span;
}

struct st_shape_span st_guarded_node(const struct st_forest *forest, uint32_t unit, uint32_t token,
                                     uint32_t lockset) {
    struct st_shape_span span;
    if (!st_least_section(st_unit_shape(forest->model, unit), forest->ranks, &forest->sets, token,
                          lockset, &span))
        span = (struct st_shape_span){token + 1, token + 1};
    return span;
}
