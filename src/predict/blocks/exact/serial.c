/* Is there a serial schedule in which each read reads from the same write, and each variable's last
 * write is the same? That is a question about the order of items:
 *
 * - Items of a thread keep their order, and so do items that fork, join and barriers order.
 * - A reader comes after the item it reads from. Of all items that write a variable, the one with
 *   the last write comes last.
 * - Any other item that writes the same variable comes either before the item that was read from or
 *   after the reader.
 * - A lock that is held from one item to a later one of the same thread keeps out items that need
 *   the lock: they come either before or after.
 *
 * A choice of which one side has become impossible is decided the other way, until nothing changes
 * any more. If choices are left, one of them is tried. In general that takes exponential time (the
 * question is NP-complete); on real schedules almost nothing is left to try. */
#include "base/bits.h"
#include "base/lower_bound.h"
#include "base/memory.h"
#include "predict/blocks/exact/schedule.h"

#include <stdlib.h>
#include <string.h>

/* One of two orders. Places are indices into the view's list of items. */
struct choice {
    uint32_t a, b; /* a before b, */
    uint32_t c, d; /* or c before d */
};

struct puzzle {
    const struct st_group *group;
    const struct st_view *view;
    size_t count, words;
    uint64_t *after; /* after[i]: the places that come after i; transitively closed */
    struct choice *choices;
    size_t choice_count, choice_capacity;
    bool impossible;
};

static bool comes_behind(const struct puzzle *puzzle, uint32_t a, uint32_t b) {
    return st_bit_test(puzzle->after + a * puzzle->words, b);
}

/* Puts a before b, and everything before a before everything after b. */
static void put_before(struct puzzle *puzzle, uint32_t a, uint32_t b) {
    size_t words = puzzle->words;
    if (a == b || comes_behind(puzzle, b, a))
        puzzle->impossible = true;
    if (puzzle->impossible || comes_behind(puzzle, a, b))
        return;
    for (uint32_t i = 0; i < puzzle->count; i++) {
        if (i != a && !comes_behind(puzzle, i, a))
            continue;
        uint64_t *row = puzzle->after + i * words, *more = puzzle->after + b * words;
        for (size_t k = 0; k < words; k++)
            row[k] |= more[k];
        st_bit_set(row, b);
    }
}

static void put_choice(struct puzzle *puzzle, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    st_reserve(&puzzle->choices, &puzzle->choice_capacity, puzzle->choice_count + 1);
    puzzle->choices[puzzle->choice_count++] = (struct choice){a, b, c, d};
}

/* ---- what must be ---- */

static uint32_t place_of(const struct puzzle *puzzle, uint32_t item) {
    const uint32_t *items = puzzle->view->items;
    uint32_t place;
    st_lower_bound(place, 0, (uint32_t)puzzle->count, items[place] < item);
    return place;
}

static const struct st_item *item_at(const struct puzzle *puzzle, uint32_t place) {
    return &puzzle->group->items[puzzle->view->items[place]];
}

/* Orders neighbouring items of a lane; the rest follows. */
static void keep_lanes(struct puzzle *puzzle) {
    uint32_t *last = st_alloc(puzzle->group->lane_count + 1, sizeof *last); /* places plus 1 */
    for (uint32_t i = (uint32_t)puzzle->count; i-- > 0;) {
        uint32_t *next = &last[item_at(puzzle, i)->lane];
        if (*next)
            put_before(puzzle, i, *next - 1);
        *next = i + 1;
    }
    free(last);
}

static void keep_order(struct puzzle *puzzle) {
    const struct st_model *model = puzzle->group->run->model;
    keep_lanes(puzzle);
    for (uint32_t a = 0; a < puzzle->count; a++)
        for (uint32_t b = 0; b < puzzle->count; b++) {
            const struct st_item *first = item_at(puzzle, a), *second = item_at(puzzle, b);
            if (first->lane != second->lane && !comes_behind(puzzle, a, b) &&
                st_period_before(model->periods, model->units[first->unit].last_period,
                                 model->units[second->unit].first_period))
                put_before(puzzle, a, b);
        }
}

/* Lists the places of the items that write the variable. */
static size_t list_writers(const struct puzzle *puzzle, uint32_t variable, uint32_t *writers) {
    size_t count = 0;
    for (uint32_t i = 0; i < puzzle->count; i++) {
        const struct st_item *item = item_at(puzzle, i);
        const struct st_exact_step *steps = puzzle->group->lanes[item->lane].steps;
        for (size_t k = item->first; k < item->end; k++)
            if (steps[k].kind == ST_TOKEN_WRITE && steps[k].target == variable) {
                writers[count++] = i;
                break;
            }
    }
    return count;
}

/* The place of the item that made the write. */
static uint32_t place_of_write(const struct puzzle *puzzle, uint32_t write) {
    return place_of(puzzle, puzzle->group->owners[write - 1]);
}

/* In a serial schedule, no other item sees a value that its writer overwrites. */
static bool is_overwritten(const struct puzzle *puzzle, uint32_t write, uint32_t variable) {
    const struct st_group *group = puzzle->group;
    const struct st_item *item = &group->items[group->owners[write - 1]];
    const struct st_exact_step *steps = group->lanes[item->lane].steps;
    for (size_t k = write - group->offsets[item->lane]; k < item->end; k++)
        if (steps[k].kind == ST_TOKEN_WRITE && steps[k].target == variable)
            return true;
    return false;
}

static void keep_read(struct puzzle *puzzle, uint32_t reader, uint32_t source, uint32_t variable,
                      const uint32_t *writers, size_t count) {
    uint32_t from = source ? place_of_write(puzzle, source) : 0;
    if (source && is_overwritten(puzzle, source, variable))
        puzzle->impossible = true;
    if (source)
        put_before(puzzle, from, reader);
    for (size_t i = 0; i < count; i++) {
        if (writers[i] == reader || (source && writers[i] == from))
            continue;
        if (source)
            put_choice(puzzle, writers[i], from, reader, writers[i]);
        else
            put_before(puzzle, reader, writers[i]);
    }
}

static void keep_variable(struct puzzle *puzzle, uint32_t variable, uint32_t *writers) {
    const struct st_view *view = puzzle->view;
    size_t count = list_writers(puzzle, variable, writers);
    uint32_t last = view->last[variable];
    if (!count)
        return;
    for (size_t i = 0; i < count; i++)
        if (last && writers[i] != place_of_write(puzzle, last))
            put_before(puzzle, writers[i], place_of_write(puzzle, last));
    for (uint32_t i = 0; i < puzzle->count; i++) {
        const struct st_item *item = item_at(puzzle, i);
        const struct st_exact_step *steps = puzzle->group->lanes[item->lane].steps;
        size_t offset = puzzle->group->offsets[item->lane], own = 0;
        for (size_t k = item->first; k < item->end; k++) {
            if (!st_is_access_step(&steps[k]) || steps[k].target != variable)
                continue;
            uint32_t source = view->sources[offset + k];
            if (steps[k].kind == ST_TOKEN_WRITE)
                own = offset + k + 1;
            else if (!own)
                keep_read(puzzle, i, source, variable, writers, count);
            else if (source != own) /* another item came between: no serial schedule has that */
                puzzle->impossible = true;
        }
    }
}

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void keep_view(struct puzzle *puzzle) {
    uint32_t *writers = st_alloc(puzzle->count + 1, sizeof *writers), *variables = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t i = 0; i < puzzle->count; i++) {
        const struct st_item *item = item_at(puzzle, i);
        for (size_t k = item->first; k < item->end; k++) {
            const struct st_exact_step *step = &puzzle->group->lanes[item->lane].steps[k];
            if (step->kind != ST_TOKEN_WRITE)
                continue;
            st_reserve(&variables, &capacity, count + 1);
            variables[count++] = step->target;
        }
    }
    if (count)
        qsort(variables, count, sizeof *variables, by_number);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || variables[i] != variables[i - 1])
            keep_variable(puzzle, variables[i], writers);
    free(variables);
    free(writers);
}

/* ---- locks that are held from item to item ---- */

#define FROM_BEFORE UINT32_MAX
#define TO_BEHIND (UINT32_MAX - 1)

struct section {
    uint32_t lock, lane;
    uint32_t first, last; /* places; FROM_BEFORE, TO_BEHIND: it is open at the start, or at the
                           * end */
};

struct sections {
    struct section *items;
    size_t count, capacity;
};

static void open_section(struct sections *sections, uint32_t lock, uint32_t lane, uint32_t first) {
    st_reserve(&sections->items, &sections->capacity, sections->count + 1);
    sections->items[sections->count++] = (struct section){lock, lane, first, TO_BEHIND};
}

static void close_section(struct sections *sections, uint32_t lock, uint32_t lane, uint32_t last) {
    for (size_t i = sections->count; i-- > 0;) {
        struct section *section = &sections->items[i];
        if (section->lock == lock && section->lane == lane && section->last == TO_BEHIND) {
            section->last = last;
            return;
        }
    }
}

/* Lists all critical sections of a lane that reach into the view. */
static void list_sections(const struct puzzle *puzzle, uint32_t lane, struct sections *sections) {
    const struct st_lane *self = &puzzle->group->lanes[lane];
    size_t start = puzzle->view->starts[lane];
    for (size_t i = 0; i < self->long_count; i++)
        if (self->longs[i].acquire < start && self->longs[i].release >= start)
            open_section(sections, self->longs[i].lock, lane, FROM_BEFORE);
    for (size_t k = start; k < puzzle->view->ends[lane]; k++) {
        const struct st_exact_step *step = &self->steps[k];
        if (step->kind == ST_TOKEN_ACQUIRE)
            open_section(sections, step->target, lane, place_of(puzzle, step->item));
        else if (step->kind == ST_TOKEN_RELEASE)
            close_section(sections, step->target, lane, place_of(puzzle, step->item));
    }
}

static bool is_long(const struct section *section) {
    return section->first != section->last;
}

/* Can the one be over before the other begins? */
static bool can_precede(const struct section *one, const struct section *other) {
    return one->last != TO_BEHIND && other->first != FROM_BEFORE;
}

static void keep_apart(struct puzzle *puzzle, const struct section *one,
                       const struct section *other) {
    bool forth = can_precede(one, other), back = can_precede(other, one);
    if (forth && back)
        put_choice(puzzle, one->last, other->first, other->last, one->first);
    else if (forth)
        put_before(puzzle, one->last, other->first);
    else if (back)
        put_before(puzzle, other->last, one->first);
    else
        puzzle->impossible = true;
}

static void keep_locks(struct puzzle *puzzle) {
    struct sections all = {.count = 0};
    bool any = false;
    for (uint32_t i = 0; i < puzzle->group->lane_count; i++)
        any |= puzzle->group->lanes[i].long_count > 0 && !puzzle->group->run->model->options.data;
    for (uint32_t i = 0; any && i < puzzle->group->lane_count; i++)
        list_sections(puzzle, i, &all);
    for (size_t i = 0; i < all.count; i++)
        for (size_t k = i + 1; k < all.count; k++) {
            const struct section *one = &all.items[i], *other = &all.items[k];
            if (one->lock == other->lock && one->lane != other->lane &&
                (is_long(one) || is_long(other)))
                keep_apart(puzzle, one, other);
        }
    free(all.items);
}

/* ---- what may be ---- */

/* Decides all choices of which one side is impossible, and drops those that are decided. */
static void propagate(struct puzzle *puzzle) {
    bool changed = true;
    while (changed && !puzzle->impossible) {
        size_t kept = 0;
        changed = false;
        for (size_t i = 0; i < puzzle->choice_count && !puzzle->impossible; i++) {
            struct choice choice = puzzle->choices[i];
            if (comes_behind(puzzle, choice.a, choice.b) ||
                comes_behind(puzzle, choice.c, choice.d))
                continue;
            bool one = choice.a != choice.b && !comes_behind(puzzle, choice.b, choice.a);
            bool other = choice.c != choice.d && !comes_behind(puzzle, choice.d, choice.c);
            if (one && other) {
                puzzle->choices[kept++] = choice;
                continue;
            }
            changed = true;
            if (one)
                put_before(puzzle, choice.a, choice.b);
            else if (other)
                put_before(puzzle, choice.c, choice.d);
            else
                puzzle->impossible = true;
        }
        puzzle->choice_count = kept;
    }
}

static bool solve(struct puzzle *puzzle) {
    propagate(puzzle);
    if (puzzle->impossible || !puzzle->choice_count)
        return !puzzle->impossible;
    struct choice choice = puzzle->choices[--puzzle->choice_count];
    struct puzzle copy = *puzzle;
    size_t rows = puzzle->count * puzzle->words;
    copy.after = st_alloc(rows + 1, sizeof *copy.after);
    memcpy(copy.after, puzzle->after, rows * sizeof *copy.after);
    copy.choice_capacity = 0;
    copy.choices = st_alloc(copy.choice_count + 1, sizeof *copy.choices);
    memcpy(copy.choices, puzzle->choices, copy.choice_count * sizeof *copy.choices);
    put_before(&copy, choice.a, choice.b);
    bool solved = solve(&copy);
    free(copy.after);
    free(copy.choices);
    if (solved)
        return true;
    put_before(puzzle, choice.c, choice.d);
    return solve(puzzle);
}

bool st_view_is_serializable(const struct st_group *group, const struct st_view *view) {
    struct puzzle puzzle = {
        .group = group, .view = view, .count = view->count, .words = st_bit_words(view->count + 1)};
    puzzle.after = st_alloc(puzzle.count * puzzle.words + 1, sizeof *puzzle.after);
    keep_order(&puzzle);
    keep_view(&puzzle);
    keep_locks(&puzzle);
    bool solved = solve(&puzzle);
    free(puzzle.after);
    free(puzzle.choices);
    return solved;
}
