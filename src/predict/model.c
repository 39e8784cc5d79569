#include "predict/model.h"

#include "base/map64.h"
#include "base/memory.h"
#include "predict/draft.h"
#include "predict/followers.h"
#include "predict/survey.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum pass {
    PASS_SURVEY, /* what are barriers? who quarrels about what, if there are none? */
    PASS_AGAIN,  /* the same with barriers, if there are any */
    PASS_UNITS,
    PASS_NONE
};

/* What a thread does while units are made. */
struct actor {
    uint32_t *held; /* locks, in the order in which they were acquired */
    size_t held_count, held_capacity;
    uint32_t depth; /* of blocks */
    uint32_t block;
    uint64_t begin, begin_loc;
    uint64_t part;         /* the event with which this part of the block starts */
    uint32_t first_period; /* of the unit */
    uint32_t swap; /* the variable plus 1 that it has just read atomically: a write may follow */
    struct st_spot swap_read;
    struct st_draft draft;
    uint32_t *unit_held; /* what was held when the unit began */
    size_t unit_held_count, unit_held_capacity;
};

struct st_model_builder {
    enum pass pass;
    struct st_barriers barriers;
    struct st_survey survey;
    struct st_order order;
    struct actor *actors;
    size_t actor_count, actor_capacity;
    struct st_map64 unit_numbers; /* from what makes units alike to units */
    struct st_token *tokens;
    size_t token_capacity;
    uint64_t last_event;
};

struct st_model *st_model_new(const struct st_model_options *options) {
    struct st_model *model = st_alloc(1, sizeof *model);
    struct st_model_builder *builder = st_alloc(1, sizeof *builder);
    model->options = *options;
    model->builder = builder;
    st_shapes_init(&model->shapes);
    st_locksets_init(&model->locksets);
    st_barriers_init(&builder->barriers);
    st_survey_init(&builder->survey, options->order, NULL, &model->locksets);
    st_order_init(&builder->order, options->order, &builder->barriers);
    st_map64_init(&builder->unit_numbers);
    model->periods = &builder->order.periods;
    return model;
}

void st_model_free(struct st_model *model) {
    if (!model)
        return;
    struct st_model_builder *builder = model->builder;
    st_followers_free(model->followers);
    for (size_t i = 0; i < builder->actor_count; i++) {
        free(builder->actors[i].held);
        free(builder->actors[i].unit_held);
        st_draft_free(&builder->actors[i].draft);
    }
    free(builder->actors);
    free(builder->tokens);
    st_map64_free(&builder->unit_numbers);
    st_order_free(&builder->order);
    st_survey_free(&builder->survey);
    st_barriers_free(&builder->barriers);
    free(builder);
    for (size_t i = 0; i < model->unit_count; i++)
        free(model->units[i].spots);
    free(model->units);
    free(model->instances);
    free(model->variables);
    free(model->locks);
    st_shapes_free(&model->shapes);
    st_locksets_free(&model->locksets);
    free(model);
}

size_t st_model_memory(const struct st_model *model) {
    size_t bytes = model->unit_capacity * sizeof *model->units +
                   model->instance_capacity * sizeof *model->instances +
                   model->variable_count * sizeof *model->variables +
                   model->lock_count * sizeof *model->locks + st_shapes_memory(&model->shapes) +
                   st_locksets_memory(&model->locksets) + st_periods_memory(model->periods);
    if (model->followers)
        bytes += st_followers_memory(model->followers);
    for (size_t i = 0; i < model->unit_count; i++)
        bytes += st_unit_shape(model, (uint32_t)i)->count * sizeof(struct st_spot);
    return bytes;
}

/* ---- units ---- */

static struct actor *actor_of(struct st_model *model, uint32_t thread) {
    struct st_model_builder *builder = model->builder;
    if (thread < builder->actor_count)
        return &builder->actors[thread];
    st_reserve(&builder->actors, &builder->actor_capacity, (size_t)thread + 1);
    for (; builder->actor_count <= thread; builder->actor_count++)
        st_draft_init(&builder->actors[builder->actor_count].draft,
                      model->options.keep_repetitions);
    return &builder->actors[thread];
}

/* The unit that is like these, new or known. */
static struct st_unit *unit_like(struct st_model *model, const struct st_unit *like) {
    struct {
        uint32_t shape, thread, first_period, last_period, block, transaction;
    } key = {like->shape,       like->thread, like->first_period,
             like->last_period, like->block,  like->transaction};
    struct st_map64 *numbers = &model->builder->unit_numbers;
    uint32_t known = numbers->count;
    uint32_t number = st_map64_number(numbers, XXH3_64bits(&key, sizeof key));
    if (number == known) {
        st_reserve(&model->units, &model->unit_capacity, (size_t)number + 1);
        model->units[number] = *like;
        model->unit_count = (size_t)number + 1;
    }
    return &model->units[number];
}

static struct st_spot *copy_spots(const struct st_draft *draft) {
    struct st_spot *spots = st_alloc(draft->count + 1, sizeof *spots);
    for (size_t i = 0; i < draft->count; i++)
        spots[i] = (struct st_spot){draft->tokens[i].number, draft->tokens[i].loc};
    return spots;
}

static struct st_unit *add_unit(struct st_model *model, uint32_t thread, struct actor *actor,
                                bool transaction, uint64_t begin, uint64_t end) {
    struct st_model_builder *builder = model->builder;
    struct st_draft *draft = &actor->draft;
    st_draft_finish(draft);
    st_reserve(&builder->tokens, &builder->token_capacity, draft->count + 1);
    for (size_t i = 0; i < draft->count; i++)
        builder->tokens[i] = draft->tokens[i].token;
    struct st_unit like = {.thread = thread,
                           .shape = st_shape_of(&model->shapes, &model->locksets, actor->unit_held,
                                                (uint32_t)actor->unit_held_count, builder->tokens,
                                                (uint32_t)draft->count),
                           .first_period = actor->first_period,
                           .last_period = st_periods_now(&builder->order.periods, thread),
                           .block = transaction ? actor->block : ST_NO_NAME,
                           .transaction = transaction,
                           .begin = begin,
                           .begin_loc = actor->begin_loc};
    struct st_unit *unit = unit_like(model, &like);
    if (!unit->count++)
        unit->spots = copy_spots(draft);
    unit->end = end;
    return unit;
}

static void start_unit(struct st_model *model, uint32_t thread, struct actor *actor) {
    st_draft_clear(&actor->draft);
    st_reserve(&actor->unit_held, &actor->unit_held_capacity, actor->held_count + 1);
    if (actor->held_count)
        memcpy(actor->unit_held, actor->held, actor->held_count * sizeof *actor->held);
    actor->unit_held_count = actor->held_count;
    actor->first_period = st_periods_now(&model->builder->order.periods, thread);
}

/* A transaction, or a part of one, ends with this event. block_end is 0 if the block goes on. */
static void end_transaction(struct st_model *model, uint32_t thread, struct actor *actor,
                            uint64_t number, uint64_t block_end) {
    struct st_unit *unit = add_unit(model, thread, actor, true, actor->part, number);
    st_reserve(&model->instances, &model->instance_capacity, model->instance_count + 1);
    model->instances[model->instance_count++] = (struct st_instance){
        .begin = actor->begin, .end = block_end, .unit = (uint32_t)(unit - model->units)};
}

static bool counts(const struct st_model *model, uint32_t variable) {
    const struct st_model_variable *facts = &model->variables[variable];
    return facts->contended || (model->options.keep_shared && facts->shared && facts->written);
}

/* ---- accesses ---- */

/* An event outside of all blocks is a unit of its own. */
static void start_event(struct st_model *model, uint32_t thread, struct actor *actor) {
    if (!actor->depth)
        start_unit(model, thread, actor);
}

static void end_event(struct st_model *model, uint32_t thread, struct actor *actor,
                      uint64_t number) {
    if (!actor->depth)
        add_unit(model, thread, actor, false, number, number);
}

/* No write followed: it was a load. */
static void close_swap(struct st_model *model, uint32_t thread, struct actor *actor) {
    uint32_t lock = model->first_atomic_lock + actor->swap - 1;
    st_draft_release(&actor->draft, lock, actor->swap_read.number, actor->swap_read.loc);
    actor->swap = 0;
    end_event(model, thread, actor, actor->swap_read.number);
}

static bool completes_swap(const struct actor *actor, const struct st_event *event) {
    return event->op == ST_WRITE && event->atomic && actor->swap == event->target + 1;
}

static void put_atomic(struct st_model *model, const struct st_event *event, struct actor *actor,
                       struct st_token token, uint64_t number) {
    uint32_t lock = model->first_atomic_lock + event->target;
    bool swaps = actor->swap;
    if (!swaps)
        st_draft_acquire(&actor->draft, lock, number, event->loc);
    st_draft_add(&actor->draft, token, number, event->loc);
    actor->swap = 0;
    if (event->atomic && event->op == ST_READ) { /* the lock is held until we know more */
        actor->swap = event->target + 1;
        actor->swap_read = (struct st_spot){number, event->loc};
        return;
    }
    st_draft_release(&actor->draft, lock, number, event->loc);
    end_event(model, event->thread, actor, number);
}

static void on_access(struct st_model *model, const struct st_event *event, struct actor *actor,
                      uint64_t number) {
    struct st_token token = {event->op == ST_WRITE ? ST_TOKEN_WRITE : ST_TOKEN_READ, event->target};
    if (!counts(model, event->target))
        return;
    if (!actor->swap)
        start_event(model, event->thread, actor);
    if (model->variables[event->target].indivisible) {
        put_atomic(model, event, actor, token, number);
        return;
    }
    st_draft_add(&actor->draft, token, number, event->loc);
    end_event(model, event->thread, actor, number);
}

/* ---- locks ---- */

/* Outside of blocks, a lock that only one thread uses at a time cannot matter. */
static bool lock_counts(const struct st_model *model, const struct actor *actor, uint32_t lock) {
    return actor->depth || model->locks[lock].contended;
}

static void on_acquire(struct st_model *model, const struct st_event *event, struct actor *actor,
                       uint64_t number) {
    if (lock_counts(model, actor, event->target)) {
        start_event(model, event->thread, actor);
        st_draft_acquire(&actor->draft, event->target, number, event->loc);
        end_event(model, event->thread, actor, number);
    }
    st_reserve(&actor->held, &actor->held_capacity, actor->held_count + 1);
    actor->held[actor->held_count++] = event->target;
}

static void on_release(struct st_model *model, const struct st_event *event, struct actor *actor,
                       uint64_t number) {
    if (lock_counts(model, actor, event->target)) {
        start_event(model, event->thread, actor);
        st_draft_release(&actor->draft, event->target, number, event->loc);
        end_event(model, event->thread, actor, number);
    }
    size_t place = 0;
    while (place < actor->held_count && actor->held[place] != event->target)
        place++;
    if (place == actor->held_count)
        return;
    actor->held_count--;
    memmove(actor->held + place, actor->held + place + 1,
            (actor->held_count - place) * sizeof *actor->held);
}

static void on_nested(const struct st_event *event, struct actor *actor, uint64_t number) {
    struct st_token token = {event->written == ST_ACQUIRE ? ST_TOKEN_REACQUIRE : ST_TOKEN_RERELEASE,
                             event->target};
    if (actor->depth)
        st_draft_add(&actor->draft, token, number, event->loc);
}

/* ---- blocks ---- */

static void on_begin(struct st_model *model, const struct st_event *event, struct actor *actor,
                     uint64_t number) {
    if (actor->depth++)
        return;
    actor->block = event->target;
    actor->begin = actor->part = number;
    actor->begin_loc = event->loc;
    start_unit(model, event->thread, actor);
}

static void on_end(struct st_model *model, const struct st_event *event, struct actor *actor,
                   uint64_t number) {
    if (actor->depth == 1)
        end_transaction(model, event->thread, actor, number, number);
    actor->depth--;
}

/* The order of periods changes; where that is so in every schedule, a transaction is split. */
static void on_order(struct st_model *model, const struct st_event *event, struct actor *actor,
                     uint64_t number) {
    bool splits = actor->depth && st_order_splits(&model->builder->order, event);
    if (splits)
        end_transaction(model, event->thread, actor, number, 0);
    st_order_event(&model->builder->order, event);
    if (!splits)
        return;
    actor->part = number;
    start_unit(model, event->thread, actor);
}

static void make_units(struct st_model *model, const struct st_event *event, uint64_t number) {
    if (event->op == ST_DROPPED)
        return;
    st_followers_event(model->followers, event, number);
    struct actor *actor = actor_of(model, event->thread);
    if (actor->swap && !completes_swap(actor, event))
        close_swap(model, event->thread, actor);
    switch (event->op) {
    case ST_READ:
    case ST_WRITE:
        on_access(model, event, actor, number);
        break;
    case ST_ACQUIRE:
        on_acquire(model, event, actor, number);
        break;
    case ST_RELEASE:
        on_release(model, event, actor, number);
        break;
    case ST_NESTED:
        on_nested(event, actor, number);
        break;
    case ST_BEGIN:
        on_begin(model, event, actor, number);
        break;
    case ST_END:
        on_end(model, event, actor, number);
        break;
    case ST_FORK:
    case ST_JOIN:
    case ST_SEND:
    case ST_RECEIVE:
        on_order(model, event, actor, number);
        break;
    default:
        break;
    }
}

/* The trace may end inside blocks. */
static void finish_units(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    for (uint32_t thread = 0; thread < builder->actor_count; thread++) {
        struct actor *actor = &builder->actors[thread];
        if (actor->swap)
            close_swap(model, thread, actor);
        if (actor->depth)
            end_transaction(model, thread, actor, builder->last_event, 0);
    }
}

/* ---- passes ---- */

bool st_model_wants_pass(const struct st_model *model) {
    return model->builder->pass != PASS_NONE;
}

void st_model_feed(struct st_model *model, const struct st_event *events, size_t count,
                   uint64_t first) {
    struct st_model_builder *builder = model->builder;
    builder->last_event = first + count - 1;
    switch (builder->pass) {
    case PASS_SURVEY:
        for (size_t i = 0; i < count; i++) {
            st_barriers_event(&builder->barriers, &events[i]);
            st_survey_event(&builder->survey, &events[i]);
        }
        break;
    case PASS_AGAIN:
        for (size_t i = 0; i < count; i++)
            st_survey_event(&builder->survey, &events[i]);
        break;
    case PASS_UNITS:
        for (size_t i = 0; i < count; i++)
            make_units(model, &events[i], first + i);
        break;
    case PASS_NONE:
        break;
    }
}

static bool has_ordering_channels(const struct st_model *model) {
    const struct st_barriers *barriers = &model->builder->barriers;
    for (uint32_t i = 0; i < barriers->count; i++)
        if (model->options.order == ST_MODEL_ALL || st_is_barrier(barriers, i))
            return true;
    return false;
}

/* Takes over what the survey found; what it needed to find it is not needed any more. */
static void take_facts(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    struct st_survey *survey = &builder->survey;
    size_t variables = survey->variable_count, locks = survey->lock_count;
    st_survey_finish(survey);
    model->variable_count = variables;
    model->variables = st_alloc(variables + 1, sizeof *model->variables);
    model->first_atomic_lock = (uint32_t)locks;
    model->lock_count = locks + variables;
    model->locks = st_alloc(model->lock_count + 1, sizeof *model->locks);
    for (size_t i = 0; i < variables; i++) {
        const struct st_variable_facts *facts = &survey->variables[i];
        model->variables[i] = (struct st_model_variable){.shared = facts->shared,
                                                         .written = facts->written,
                                                         .contended = facts->contended,
                                                         .indivisible = facts->indivisible,
                                                         .plain = facts->plain};
        model->locks[locks + i] =
            (struct st_model_lock){.shared = facts->shared, .contended = facts->contended};
    }
    for (size_t i = 0; i < locks; i++) {
        const struct st_lock_facts *facts = &survey->locks[i];
        model->locks[i] = (struct st_model_lock){facts->shared, facts->contended, facts->loose,
                                                 facts->protectors};
    }
    model->channel_events = survey->channel_events;
}

void st_model_end_pass(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    if (builder->pass == PASS_SURVEY && has_ordering_channels(model)) {
        st_survey_free(&builder->survey);
        st_survey_init(&builder->survey, model->options.order, &builder->barriers,
                       &model->locksets);
        builder->pass = PASS_AGAIN;
    } else if (builder->pass == PASS_UNITS) {
        finish_units(model);
        st_followers_finish(model->followers);
        builder->pass = PASS_NONE;
    } else {
        take_facts(model);
        model->followers = st_followers_new(model, &builder->order);
        builder->pass = PASS_UNITS;
    }
}
