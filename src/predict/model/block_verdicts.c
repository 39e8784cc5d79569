#include "predict/model/block_verdicts.h"

#include "base/map64.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lock of an atomic variable has no name, since it does not exist in the program. The access
 * that it protects is shown instead. */
static struct st_token token_to_show(const struct st_model *model, const struct st_shape *shape,
                                     uint32_t token) {
    struct st_token what = shape->tokens[token];
    if (what.kind <= ST_TOKEN_WRITE || what.target < model->first_atomic_lock)
        return what;
    uint32_t lock = what.target, step = what.kind == ST_TOKEN_ACQUIRE ? 1 : -1u;
    do /* it is held around an access to its variable */
        what = shape->tokens[token += step];
    while (what.kind > ST_TOKEN_WRITE || model->variables[what.target].lock != lock);
    return what;
}

/* What the trace has in place of an access to a variable that stands for a channel. */
static void restore_signal(const struct st_model *model, struct st_event *event) {
    event->op = event->written = event->op == ST_WRITE ? ST_SEND : ST_RECEIVE;
    event->target -= model->first_signal;
    event->atomic = true; /* it signals, and is no operation on a lock */
}

struct st_place st_token_place(const struct st_model *model, uint32_t thread, struct st_token what,
                               struct st_spot spot) {
    static const enum st_op ops[] = {ST_READ,    ST_WRITE,   ST_ACQUIRE,
                                     ST_RELEASE, ST_ACQUIRE, ST_RELEASE};
    struct st_event event = {.thread = thread,
                             .target = what.target,
                             .loc = spot.loc,
                             .written = ops[what.kind],
                             .op = ops[what.kind]};
    if (event.op > ST_WRITE)
        st_rwlocks_restore(model->rwlocks, &event);
    else if (event.target >= model->first_signal)
        restore_signal(model, &event);
    return (struct st_place){.number = spot.number, .event = event};
}

struct st_place st_unit_place(const struct st_model *model, uint32_t unit, uint32_t token) {
    const struct st_unit *self = &model->units[unit];
    return st_token_place(model, self->thread,
                          token_to_show(model, st_unit_shape(model, unit), token),
                          self->spots[token]);
}

/* A reader-writer lock is shown as the trace has it: a receive acquires it. */
static const char *pattern_word(const struct st_event *event) {
    if (event->atomic && event->op >= ST_SEND)
        return event->op == ST_SEND ? "snd" : "rcv";
    switch (event->op) {
    case ST_READ:
        return "R";
    case ST_WRITE:
        return "W";
    case ST_ACQUIRE:
    case ST_RECEIVE:
        return "acq";
    default:
        return "rel";
    }
}

char *st_places_pattern(const struct st_place *events, size_t count) {
    char *pattern = st_alloc(count * 4 + 1, 1), *end = pattern;
    for (size_t i = 0; i < count; i++)
        end += sprintf(end, i ? "-%s" : "%s", pattern_word(&events[i].event));
    return pattern;
}

/* All parts of one block, in one row, which is that of the part with the largest verdict. */
struct row {
    uint64_t begin, end, begin_loc;
    uint32_t unit;
    enum st_block_verdict verdict;
};

static int by_begin(const void *left, const void *right) {
    const struct row *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (int)b->verdict - (int)a->verdict;
}

/* verdicts[i] is about instance i. */
static struct row *make_rows(const struct st_model *model, const enum st_block_verdict *verdicts,
                             size_t *count) {
    struct row *rows = st_alloc(model->instance_count + 1, sizeof *rows);
    for (size_t i = 0; i < model->instance_count; i++) {
        const struct st_instance *instance = &model->instances[i];
        rows[i] = (struct row){instance->begin, instance->end, instance->begin_loc, instance->unit,
                               verdicts[i]};
    }
    qsort(rows, model->instance_count, sizeof *rows, by_begin);
    *count = 0;
    for (size_t i = 0; i < model->instance_count; i++) {
        struct row *last = *count ? &rows[*count - 1] : NULL;
        if (last && last->begin == rows[i].begin) {
            if (rows[i].end > last->end)
                last->end = rows[i].end;
        } else {
            rows[(*count)++] = rows[i];
        }
    }
    return rows;
}

static struct st_predicted_block make_block(const struct st_model *model, const struct row *row) {
    const struct st_unit *unit = &model->units[row->unit];
    return (struct st_predicted_block){.block = unit->block,
                                       .thread = unit->thread,
                                       .begin_loc = row->begin_loc,
                                       .begin = row->begin,
                                       .end = row->end,
                                       .verdict = row->verdict};
}

/* Which rows are to be listed, as long as there is room. Invariant: seen[name + 1] counts the rows
 * of a name, in the present turn. */
struct choice {
    bool *chosen;
    size_t room;
    uint32_t *seen;
    size_t seen_capacity;
};

/* Chooses the row of each name that comes as the `turn`th among those with this verdict. Returns
 * whether there are more of them. */
static bool take_turn(struct choice *choice, const struct st_model *model, const struct row *rows,
                      size_t count, enum st_block_verdict verdict, uint32_t turn) {
    bool more = false;
    if (choice->seen_capacity)
        memset(choice->seen, 0, choice->seen_capacity * sizeof *choice->seen);
    for (size_t i = 0; i < count && choice->room; i++) {
        uint32_t name = model->units[rows[i].unit].block + 1; /* none becomes 0 */
        if (rows[i].verdict != verdict)
            continue;
        st_reserve(&choice->seen, &choice->seen_capacity, (size_t)name + 1);
        uint32_t place = choice->seen[name]++;
        more |= place > turn;
        if (place == turn) {
            choice->chosen[i] = true;
            choice->room--;
        }
    }
    return more;
}

/* Those with the largest verdict come first. Among equals names take turns, so that a frequent
 * finding does not hide a rare one: first the first row of each name, then the second, and so on.
 */
static bool *choose(const struct st_model *model, const struct row *rows, size_t count,
                    size_t limit) {
    struct choice choice = {.chosen = st_alloc(count + 1, sizeof *choice.chosen), .room = limit};
    if (!limit || limit >= count) {
        memset(choice.chosen, true, count * sizeof *choice.chosen);
        return choice.chosen;
    }
    for (int verdict = ST_BLOCK_VIOLATION; verdict >= ST_BLOCK_ATOMIC; verdict--)
        for (uint32_t turn = 0; choice.room && take_turn(&choice, model, rows, count,
                                                         (enum st_block_verdict)verdict, turn);
             turn++)
            ;
    free(choice.seen);
    return choice.chosen;
}

/* ---- whose events are shown ----
 *
 * Equal units of a period are stored once, so the events of a finding may be those of another
 * block. */

/* For each unit, the begin of its first block, the one its spots come from. */
static uint64_t *find_owners(const struct st_model *model) {
    uint64_t *owners = st_alloc(model->unit_count + 1, sizeof *owners);
    for (size_t i = 0; i < model->instance_count; i++)
        if (!owners[model->instances[i].unit])
            owners[model->instances[i].unit] = model->instances[i].begin;
    return owners;
}

static bool is_within(uint64_t number, uint64_t begin, uint64_t end) {
    return number >= begin && (!end || number <= end);
}

/* Of the blocks that this unit stands for, the begin of the one that contains the event, or 0. */
static uint64_t find_block_around(const struct st_model *model, uint32_t unit, uint64_t number) {
    for (size_t i = 0; i < model->instance_count; i++) {
        const struct st_instance *instance = &model->instances[i];
        if (instance->unit == unit && is_within(number, instance->begin, instance->end))
            return instance->begin;
    }
    return 0;
}

static bool has_own_events(const struct st_predicted_block *block) {
    return block->event_count && block->events[0].event.thread == block->thread &&
           is_within(block->events[0].number, block->begin, block->end);
}

/* 0: the events are its own. When the order of units is kept, an analysis may report the events of
 * any of the equal units, and a unit has only events inside its block. */
static uint64_t find_source(const struct st_model *model, const uint64_t *owners, uint32_t unit,
                            const struct st_predicted_block *block) {
    uint64_t source = 0;
    if (has_own_events(block))
        return 0;
    if (!model->options.keep_sequence)
        source = owners[unit];
    else if (block->event_count)
        source = find_block_around(model, unit, block->events[0].number);
    return source == block->begin ? 0 : source;
}

/* The variables that stand for channels have no names. Their events show what they are. */
static void leave_out_signals(const struct st_model *model, struct st_predicted_block *block) {
    size_t kept = 0;
    for (size_t i = 0; i < block->variable_count; i++)
        if (block->variables[i] < model->first_signal)
            block->variables[kept++] = block->variables[i];
    block->variable_count = kept;
}

void st_report_instances(const struct st_model *model, const enum st_block_verdict *verdicts,
                         st_explain *explain, void *context, size_t limit,
                         struct st_prediction *prediction) {
    size_t count;
    struct row *rows = make_rows(model, verdicts, &count);
    bool *chosen = choose(model, rows, count, limit);
    uint64_t *owners = find_owners(model);
    for (size_t i = 0; i < count; i++) {
        struct st_predicted_block block = make_block(model, &rows[i]);
        if (!chosen[i]) {
            st_prediction_count(prediction, block.block, block.verdict);
            continue;
        }
        if (block.verdict >= ST_BLOCK_POTENTIAL) {
            explain(context, rows[i].unit, &block);
            leave_out_signals(model, &block);
            block.events_of = find_source(model, owners, rows[i].unit, &block);
        }
        st_prediction_add(prediction, &block);
    }
    free(owners);
    free(chosen);
    free(rows);
    st_prediction_finish(prediction);
}

void st_report_units(const struct st_model *model, const enum st_block_verdict *verdicts,
                     st_explain *explain, void *context, size_t limit,
                     struct st_prediction *prediction) {
    enum st_block_verdict *each = st_alloc(model->instance_count + 1, sizeof *each);
    for (size_t i = 0; i < model->instance_count; i++)
        each[i] = verdicts[model->instances[i].unit];
    st_report_instances(model, each, explain, context, limit, prediction);
    free(each);
}

void st_count_reported(const struct st_model *model, const bool *reported, uint64_t *blocks,
                       uint64_t *names) {
    struct st_set64 begins = {0}, seen = {0};
    *blocks = *names = 0;
    for (size_t i = 0; i < model->instance_count; i++) {
        const struct st_instance *instance = &model->instances[i];
        if (!reported[instance->unit])
            continue;
        *blocks += st_set64_add(&begins, instance->begin);
        *names += st_set64_add(&seen, (uint64_t)model->units[instance->unit].block + 1);
    }
    st_set64_free(&begins);
    st_set64_free(&seen);
}
