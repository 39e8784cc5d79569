#define _GNU_SOURCE /* qsort_r */
#include "predict/model/block_verdicts.h"

#include "base/lower_bound.h"
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
    uint64_t variable = model->indivisible.ids[what.target - model->first_atomic_lock];
    uint32_t step = what.kind == ST_TOKEN_ACQUIRE ? 1 : -1u;
    do /* it is held around an access to its variable */
        what = shape->tokens[token += step];
    while (what.kind > ST_TOKEN_WRITE || what.target != variable);
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
                          st_unit_spot(model, unit, token));
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

/* ---- blocks ----
 *
 * A long run has many of them, so they are not copied: all parts of one block are next to each
 * other in the order of their begins. */

static int by_begin(const void *left, const void *right, void *context) {
    const struct st_instance *instances = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (instances[a].begin != instances[b].begin)
        return instances[a].begin < instances[b].begin ? -1 : 1;
    return (a > b) - (a < b);
}

uint32_t *st_instances_by_begin(const struct st_model *model) {
    uint32_t *order = st_alloc(model->instance_count + 1, sizeof *order);
    for (size_t i = 0; i < model->instance_count; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, model->instance_count, sizeof *order, by_begin, model->instances);
    return order;
}

/* verdicts[i] is about instance i. */
struct blocks {
    const struct st_model *model;
    const enum st_block_verdict *verdicts;
    uint32_t *order; /* instances by begin */
};

/* One of them. */
struct row {
    size_t next;    /* the place behind those of its parts */
    uint32_t shown; /* the part with the largest verdict: an instance */
    uint64_t end;
};

/* The block whose first part is at this place. False: there are no more. */
static bool read_row(const struct blocks *blocks, size_t place, struct row *row) {
    const struct st_instance *instances = blocks->model->instances;
    if (place == blocks->model->instance_count)
        return false;
    uint32_t first = blocks->order[place];
    *row = (struct row){place + 1, first, instances[first].end};
    for (; row->next < blocks->model->instance_count; row->next++) {
        uint32_t part = blocks->order[row->next];
        if (instances[part].begin != instances[first].begin)
            break;
        if (blocks->verdicts[part] > blocks->verdicts[row->shown])
            row->shown = part;
        if (instances[part].end > row->end)
            row->end = instances[part].end;
    }
    return true;
}

static struct st_predicted_block make_block(const struct blocks *blocks, const struct row *row) {
    const struct st_instance *instance = &blocks->model->instances[row->shown];
    const struct st_unit *unit = &blocks->model->units[instance->unit];
    return (struct st_predicted_block){.block = unit->block,
                                       .thread = unit->thread,
                                       .begin_loc =
                                           blocks->model->unit_spots.locs.ids[instance->begin_loc],
                                       .begin = instance->begin,
                                       .end = row->end,
                                       .verdict = blocks->verdicts[row->shown]};
}

/* ---- which of them are listed ----
 *
 * Those with the largest verdict come first. Among equals names take turns, so that a frequent
 * finding does not hide a rare one: first the first block of each name, then the second, and so on,
 * as long as there is room. */

/* Invariant: chosen[place] is about the block that is first at this place. */
struct choice {
    bool *chosen;
    size_t room;
    size_t *seen; /* by name + 1: blocks of this verdict */
    size_t name_capacity;
};

static uint32_t name_of(const struct blocks *blocks, const struct row *row) {
    return blocks->model->units[blocks->model->instances[row->shown].unit].block + 1;
}

static void count_names(struct choice *choice, const struct blocks *blocks,
                        enum st_block_verdict verdict) {
    struct row row;
    if (choice->name_capacity)
        memset(choice->seen, 0, choice->name_capacity * sizeof *choice->seen);
    for (size_t place = 0; read_row(blocks, place, &row); place = row.next) {
        uint32_t name = name_of(blocks, &row); /* none becomes 0 */
        if (blocks->verdicts[row.shown] != verdict)
            continue;
        st_reserve(&choice->seen, &choice->name_capacity, (size_t)name + 1);
        choice->seen[name]++;
    }
}

/* How many blocks are chosen in so many turns? */
static size_t count_chosen(const struct choice *choice, size_t turns) {
    size_t count = 0;
    for (size_t i = 0; i < choice->name_capacity; i++)
        count += choice->seen[i] < turns ? choice->seen[i] : turns;
    return count;
}

/* In the turn for which there is not enough room, the first blocks of all get what is left. */
static void take_turns(struct choice *choice, const struct blocks *blocks,
                       enum st_block_verdict verdict) {
    struct row row;
    size_t turns;
    count_names(choice, blocks, verdict);
    st_lower_bound(turns, 0, choice->room, count_chosen(choice, turns + 1) <= choice->room);
    size_t rest = choice->room - count_chosen(choice, turns);
    choice->room = rest;
    if (choice->name_capacity)
        memset(choice->seen, 0, choice->name_capacity * sizeof *choice->seen);
    for (size_t place = 0; read_row(blocks, place, &row); place = row.next) {
        if (blocks->verdicts[row.shown] != verdict)
            continue;
        size_t turn = choice->seen[name_of(blocks, &row)]++;
        choice->chosen[place] = turn < turns || (turn == turns && rest);
        if (turn == turns && rest) {
            rest--;
            choice->room--;
        }
    }
}

static bool *choose(const struct blocks *blocks, size_t limit) {
    size_t count = blocks->model->instance_count;
    struct choice choice = {.chosen = st_alloc(count + 1, sizeof *choice.chosen), .room = limit};
    if (!limit || limit >= count) {
        memset(choice.chosen, true, count * sizeof *choice.chosen);
        return choice.chosen;
    }
    for (int verdict = ST_BLOCK_VIOLATION; choice.room && verdict >= ST_BLOCK_ATOMIC; verdict--)
        take_turns(&choice, blocks, (enum st_block_verdict)verdict);
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
    const struct blocks blocks = {model, verdicts, st_instances_by_begin(model)};
    bool *chosen = choose(&blocks, limit);
    uint64_t *owners = find_owners(model);
    struct row row;
    for (size_t place = 0; read_row(&blocks, place, &row); place = row.next) {
        struct st_predicted_block block = make_block(&blocks, &row);
        uint32_t unit = model->instances[row.shown].unit;
        if (!chosen[place]) {
            st_prediction_count(prediction, block.block, block.verdict);
            continue;
        }
        if (block.verdict >= ST_BLOCK_POTENTIAL) {
            explain(context, unit, &block);
            leave_out_signals(model, &block);
            block.events_of = find_source(model, owners, unit, &block);
        }
        st_prediction_add(prediction, &block);
    }
    free(owners);
    free(chosen);
    free(blocks.order);
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
