#include "predict/reduction/pair_races.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Uses that are equal apart from unit and token: uses[first .. end). */
struct entry {
    uint32_t first, end;
};

/* Entries of one variable that have something in common: entries[first .. end). */
struct span {
    uint32_t first, end;
};

struct search {
    struct st_pair_races *races;
    const struct st_model *model;
    bool ordered;
    struct entry *entries;
    size_t entry_count, entry_capacity;
    struct span *classes; /* the same operation and lockset */
    size_t class_count, class_capacity;
    struct span *lines; /* and the same thread: one after another in every schedule */
    size_t line_count, line_capacity;
    uint32_t *class_lines; /* by class: its first line; has one more element at the end */
    size_t class_line_capacity;
};

/* ---- uses ---- */

static bool is_access(const struct st_token *token) {
    return token->kind == ST_TOKEN_READ || token->kind == ST_TOKEN_WRITE;
}

static size_t count_uses(struct st_pair_races *races, const struct st_model *model) {
    size_t tokens = 0, uses = 0;
    races->tokens = st_alloc(model->unit_count + 1, sizeof *races->tokens);
    for (uint32_t u = 0; u < model->unit_count; u++) {
        const struct st_shape *shape = st_unit_shape(model, u);
        races->tokens[u] = tokens;
        tokens += shape->count;
        for (uint32_t i = 0; i < shape->count; i++)
            uses += is_access(&shape->tokens[i]);
    }
    races->partners = st_alloc(tokens + 1, sizeof *races->partners);
    return uses;
}

static uint32_t line_of(const struct st_model *model, const struct st_unit *unit, bool ordered) {
    return ordered ? model->periods->items[unit->first_period].chain : unit->thread;
}

static void list_uses(struct st_pair_races *races, const struct st_model *model, bool ordered) {
    races->uses = st_alloc(count_uses(races, model) + 1, sizeof *races->uses);
    for (uint32_t u = 0; u < model->unit_count; u++) {
        const struct st_unit *unit = &model->units[u];
        const struct st_shape *shape = st_unit_shape(model, u);
        for (uint32_t i = 0; i < shape->count; i++)
            if (is_access(&shape->tokens[i]))
                races->uses[races->use_count++] =
                    (struct st_race_use){.variable = shape->tokens[i].target,
                                         .writes = shape->tokens[i].kind == ST_TOKEN_WRITE,
                                         .lockset = shape->locksets[i],
                                         .line = line_of(model, unit, ordered),
                                         .first_period = unit->first_period,
                                         .last_period = unit->last_period,
                                         .unit = u,
                                         .token = i};
    }
}

static int compare(uint32_t left, uint32_t right) {
    return (left > right) - (left < right);
}

static int compare_class(const struct st_race_use *a, const struct st_race_use *b) {
    int order = compare(a->writes, b->writes);
    return order ? order : compare(a->lockset, b->lockset);
}

static int compare_entry(const struct st_race_use *a, const struct st_race_use *b) {
    int order = compare(a->variable, b->variable);
    if (!order)
        order = compare_class(a, b);
    if (!order)
        order = compare(a->line, b->line);
    if (!order)
        order = compare(a->last_period, b->last_period);
    return order ? order : compare(a->first_period, b->first_period);
}

static int by_entry(const void *left, const void *right) {
    const struct st_race_use *a = left, *b = right;
    int order = compare_entry(a, b);
    if (!order)
        order = compare(a->unit, b->unit);
    return order ? order : compare(a->token, b->token);
}

/* ---- the uses of one variable, put together ---- */

static const struct st_race_use *use_of(const struct search *search, size_t entry) {
    return &search->races->uses[search->entries[entry].first];
}

static void add_entry(struct search *search, uint32_t use) {
    const struct st_race_use *uses = search->races->uses;
    if (search->entry_count) {
        struct entry *last = &search->entries[search->entry_count - 1];
        if (compare_entry(&uses[last->first], &uses[use]) == 0) {
            last->end = use + 1;
            return;
        }
    }
    st_reserve(&search->entries, &search->entry_capacity, search->entry_count + 1);
    search->entries[search->entry_count++] = (struct entry){use, use + 1};
}

static void add_to_lines(struct search *search, uint32_t entry) {
    const struct st_race_use *use = use_of(search, entry), *last = entry ? use - 1 : NULL;
    bool same_class = last && compare_class(last, use) == 0;
    if (!same_class) {
        st_reserve(&search->classes, &search->class_capacity, search->class_count + 1);
        st_reserve(&search->class_lines, &search->class_line_capacity, search->class_count + 2);
        search->class_lines[search->class_count] = (uint32_t)search->line_count;
        search->classes[search->class_count++] = (struct span){entry, entry};
    }
    search->classes[search->class_count - 1].end = entry + 1;
    if (!same_class || last->line != use->line) {
        st_reserve(&search->lines, &search->line_capacity, search->line_count + 1);
        search->lines[search->line_count++] = (struct span){entry, entry};
    }
    search->lines[search->line_count - 1].end = entry + 1;
    search->class_lines[search->class_count] = (uint32_t)search->line_count;
}

static void put_together(struct search *search, uint32_t first, uint32_t end) {
    search->entry_count = search->class_count = search->line_count = 0;
    for (uint32_t use = first; use < end; use++)
        add_entry(search, use);
    for (uint32_t entry = 0; entry < search->entry_count; entry++)
        add_to_lines(search, entry);
}

/* ---- who races with whom ---- */

/* The entry of the line that can run at the same time as the use, or line->end. The begins and the
 * ends of a chain's units are both in order. So among those that do not end before the use begins,
 * the first one begins first; if that one is too late, all are. */
static uint32_t find_concurrent(const struct search *search, const struct st_race_use *use,
                                const struct span *line) {
    const struct st_periods *periods = search->model->periods;
    uint32_t entry = line->first;
    if (use_of(search, entry)->line == use->line)
        return line->end;
    if (!search->ordered)
        return entry;
    st_lower_bound(
        entry, line->first, line->end,
        st_period_before(periods, use_of(search, entry)->last_period, use->first_period));
    if (entry < line->end &&
        st_period_before(periods, use->last_period, use_of(search, entry)->first_period))
        return line->end;
    return entry;
}

static void mark(struct search *search, uint32_t entry, uint32_t partner) {
    struct st_pair_races *races = search->races;
    uint32_t other = search->entries[partner].first;
    for (uint32_t i = search->entries[entry].first; i < search->entries[entry].end; i++)
        races->partners[races->tokens[races->uses[i].unit] + races->uses[i].token] = other + 1;
}

static bool class_conflicts(const struct search *search, size_t left, size_t right) {
    const struct st_race_use *a = use_of(search, search->classes[left].first);
    const struct st_race_use *b = use_of(search, search->classes[right].first);
    return (a->writes || b->writes) &&
           st_locksets_disjoint(&search->model->locksets, a->lockset, b->lockset);
}

/* Looks for partners of the left class in the right one. */
static void compare_classes(struct search *search, size_t left, size_t right) {
    for (uint32_t e = search->classes[left].first; e < search->classes[left].end; e++) {
        const struct st_race_use *use = use_of(search, e);
        if (st_pair_race(search->races, use->unit, use->token))
            continue;
        for (uint32_t l = search->class_lines[right]; l < search->class_lines[right + 1]; l++) {
            uint32_t partner = find_concurrent(search, use, &search->lines[l]);
            if (partner < search->lines[l].end) {
                mark(search, e, partner);
                break;
            }
        }
    }
}

static void search_variable(struct search *search, uint32_t first, uint32_t end) {
    put_together(search, first, end);
    for (size_t left = 0; left < search->class_count; left++)
        for (size_t right = 0; right < search->class_count; right++)
            if (class_conflicts(search, left, right))
                compare_classes(search, left, right);
}

void st_pair_races_find(struct st_pair_races *races, const struct st_model *model, bool ordered) {
    struct search search = {.races = races, .model = model, .ordered = ordered};
    *races = (struct st_pair_races){0};
    list_uses(races, model, ordered);
    if (races->use_count)
        qsort(races->uses, races->use_count, sizeof *races->uses, by_entry);
    for (size_t first = 0, end; first < races->use_count; first = end) {
        end = first + 1;
        while (end < races->use_count && races->uses[end].variable == races->uses[first].variable)
            end++;
        search_variable(&search, (uint32_t)first, (uint32_t)end);
    }
    free(search.entries);
    free(search.classes);
    free(search.lines);
    free(search.class_lines);
}

void st_pair_races_free(struct st_pair_races *races) {
    free(races->uses);
    free(races->tokens);
    free(races->partners);
}
