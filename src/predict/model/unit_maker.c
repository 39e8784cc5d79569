#include "predict/model/unit_maker.h"

#include "base/memory.h"
#include "base/number_table.h"
#include "predict/model/spare/piece_table.h"
#include "predict/model/spare/spare.h"
#include "predict/model/unit_tokens.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The state of the critical sections that a thread is in, if it was outside blocks when it entered
 * the outermost one. */
enum gathering {
    APART,     /* there are none */
    GATHERING, /* they contain no unit yet, or only the running transaction */
    GATHERED,  /* they contain one unit, which has ended */
    LOOSE      /* they span several units */
};

/* The state of one thread. `held` has only contended locks. */
struct actor {
    uint32_t *held; /* in the order of their acquires */
    size_t held_count, held_capacity;
    uint32_t depth; /* of blocks */
    uint32_t block;
    uint64_t begin, end, begin_loc; /* of the block; end is 0 while it runs */
    bool parted;                    /* the block is judged in parts, or the trace ends in it */
    enum gathering state;
    bool is_transaction;  /* the gathered unit is a transaction */
    uint64_t first, last; /* its events; `last` is UINT64_MAX while it runs */
    bool beside;          /* a gathered critical section does not contain it */
    size_t lead;          /* how many tokens precede it */
    struct st_unit_tokens unit;
    uint32_t first_period; /* of the unit */
    uint32_t last_period;  /* of what it has done last, as far as it counts */
    bool ordered_within;   /* see st_instance */
    uint32_t *unit_held;   /* the locks held when the unit began */
    size_t unit_held_count, unit_held_capacity;
    /* The locks of variables that its last access took. The next access may belong to the same
     * atomic operation. */
    uint32_t *step;
    size_t step_count, step_capacity;
    struct st_spot step_last; /* that access */
};

struct st_unit_maker {
    struct st_model *model;
    struct st_order *order;
    struct st_spare *spare; /* NULL: all units are kept */
    struct st_cutter cutter;
    struct actor *actors;
    size_t actor_count, actor_capacity;
    struct st_number_table units; /* of the model, by what makes them alike */
    struct st_token *tokens;
    size_t token_capacity;
    uint32_t *spilled; /* locks held while gathered tokens are split up */
    size_t spilled_count, spilled_capacity;
    uint64_t last_event;
};

enum { FIRST_SLOTS = 256 };

struct st_unit_maker *st_unit_maker_new(struct st_model *model, struct st_order *order,
                                        struct st_spare *spare) {
    struct st_unit_maker *maker = st_alloc(1, sizeof *maker);
    maker->model = model;
    maker->order = order;
    maker->spare = spare;
    st_numbers_grow(&maker->units, FIRST_SLOTS);
    return maker;
}

void st_unit_maker_forget(struct st_unit_maker *maker) {
    st_numbers_free(&maker->units);
    maker->units = (struct st_number_table){0};
    st_numbers_grow(&maker->units, FIRST_SLOTS);
}

void st_unit_maker_free(struct st_unit_maker *maker) {
    if (!maker)
        return;
    for (size_t i = 0; i < maker->actor_count; i++) {
        free(maker->actors[i].held);
        free(maker->actors[i].unit_held);
        free(maker->actors[i].step);
        st_unit_tokens_free(&maker->actors[i].unit);
    }
    free(maker->actors);
    free(maker->tokens);
    free(maker->spilled);
    st_cutter_free(&maker->cutter);
    st_numbers_free(&maker->units);
    free(maker);
}

static struct actor *actor_of(struct st_unit_maker *maker, uint32_t thread) {
    if (thread < maker->actor_count)
        return &maker->actors[thread];
    st_reserve(&maker->actors, &maker->actor_capacity, (size_t)thread + 1);
    for (; maker->actor_count <= thread; maker->actor_count++)
        st_unit_tokens_init(&maker->actors[maker->actor_count].unit,
                            maker->model->options.keep_repetitions);
    return &maker->actors[thread];
}

static uint32_t thread_of(const struct st_unit_maker *maker, const struct actor *actor) {
    return (uint32_t)(actor - maker->actors);
}

static uint32_t period_of(struct st_unit_maker *maker, const struct actor *actor) {
    return st_periods_now(&maker->order->periods, thread_of(maker, actor));
}

/* ---- units ---- */

/* A unit that is looked for among those of the model. */
struct wanted {
    const struct st_model *model;
    const struct st_unit *like;
};

static bool is_alike(const void *context, uint32_t number) {
    const struct wanted *wanted = context;
    const struct st_unit *a = &wanted->model->units[number], *b = wanted->like;
    return a->shape == b->shape && a->thread == b->thread && a->first_period == b->first_period &&
           a->last_period == b->last_period && a->block == b->block &&
           a->transaction == b->transaction && a->own_first == b->own_first &&
           a->own_end == b->own_end;
}

static uint64_t hash_unit(const struct st_unit *unit) {
    const uint32_t key[] = {unit->shape, unit->thread,      unit->first_period, unit->last_period,
                            unit->block, unit->transaction, unit->own_first,    unit->own_end};
    return XXH3_64bits(key, sizeof key);
}

/* The unit like this one, which is added if it is new. */
static struct st_unit *unit_like(struct st_unit_maker *maker, const struct st_unit *like) {
    struct st_model *model = maker->model;
    const struct wanted wanted = {model, like};
    uint64_t hash = hash_unit(like);
    uint32_t known = st_numbers_find(&maker->units, hash, is_alike, &wanted);
    if (known != ST_NUMBER_NONE)
        return &model->units[known];
    st_numbers_add(&maker->units, hash, (uint32_t)model->unit_count);
    st_reserve_table(&model->units, &model->unit_capacity, model->unit_count + 1);
    model->units[model->unit_count] = *like;
    return &model->units[model->unit_count++];
}

static void put_instance(struct st_model *model, const struct actor *actor,
                         const struct st_unit *unit) {
    st_reserve_table(&model->instances, &model->instance_capacity, model->instance_count + 1);
    model->instances[model->instance_count++] = (struct st_instance){
        .begin = actor->begin,
        .end = actor->end,
        .begin_loc = st_map64_number(&model->unit_spots.locs, actor->begin_loc),
        .unit = (uint32_t)(unit - model->units) & INT32_MAX,
        .ordered_within = actor->ordered_within};
}

static void put_occurrence(struct st_model *model, const struct st_unit *unit,
                           const struct st_seen_token *tokens, size_t count) {
    st_reserve(&model->occurrences, &model->occurrence_capacity, model->occurrence_count + 1);
    st_reserve(&model->spots, &model->spot_capacity, model->spot_count + count);
    model->occurrences[model->occurrence_count++] =
        (struct st_occurrence){(uint32_t)(unit - model->units), model->spot_count};
    for (size_t i = 0; i < count; i++)
        model->spots[model->spot_count++] = (struct st_spot){tokens[i].number, tokens[i].loc};
}

static struct st_spare_verdict spare_unit(struct st_unit_maker *maker, const struct actor *actor,
                                          const struct st_locked_tokens *tokens, bool transaction) {
    const struct st_ended_unit unit = {.tokens = *tokens,
                                       .transaction = transaction,
                                       .open = actor->parted || actor->ordered_within,
                                       .block = actor->block};
    if (!maker->spare)
        return (struct st_spare_verdict){false, true, transaction};
    return st_spare_take(maker->spare, maker->model, &unit);
}

/* Counts a unit like this one, with these tokens. `end` is that of this one. */
static struct st_unit *count_unit(struct st_unit_maker *maker, struct st_unit *like,
                                  const struct st_locked_tokens *what, uint64_t end) {
    struct st_model *model = maker->model;
    st_reserve(&maker->tokens, &maker->token_capacity, what->count + 1);
    for (size_t i = 0; i < what->count; i++)
        maker->tokens[i] = what->tokens[i].token;
    like->shape = st_shape_of(&model->shapes, &model->locksets, what->held,
                              (uint32_t)what->held_count, maker->tokens, (uint32_t)what->count);
    struct st_unit *unit = unit_like(maker, like);
    if (!unit->count++) {
        unit->spots = st_spots_add(&model->unit_spots, what->tokens, what->count);
        model->unit_tokens += what->count;
    }
    unit->end = end;
    return unit;
}

/* A unit that ended, or of which pieces are made. */
struct ended {
    struct st_unit_maker *maker;
    const struct actor *actor;
    uint64_t begin, end;
    uint32_t group; /* of its pieces, if only data counts */
};

static struct st_unit describe(const struct ended *ended) {
    return (struct st_unit){.thread = thread_of(ended->maker, ended->actor),
                            .first_period = ended->actor->first_period,
                            .last_period = ended->actor->last_period,
                            .block = ST_NO_NAME,
                            .begin = ended->begin};
}

static void put_piece(void *context, const struct st_token *what,
                      const struct st_locked_tokens *piece) {
    const struct ended *ended = context;
    struct st_unit like = describe(ended);
    like.own_end = (uint32_t)piece->count;
    if (st_spare_wants(ended->maker->spare, ended->maker->model, what))
        count_unit(ended->maker, &like, piece, ended->end);
}

static void put_access(void *context, const struct st_seen_token *access, uint32_t lockset) {
    const struct ended *ended = context;
    struct st_model *model = ended->maker->model;
    if (!st_spare_wants(ended->maker->spare, model, &access->token))
        return;
    struct st_piece *added = st_pieces_add(
        model->pieces, &(struct st_piece){.variable = access->token.target,
                                          .lockset = lockset,
                                          .group = ended->group & INT32_MAX,
                                          .writes = access->token.kind == ST_TOKEN_WRITE,
                                          .number = access->number,
                                          .begin = ended->begin,
                                          .end = ended->end});
    if (added)
        added->loc = st_map64_number(&model->unit_spots.locs, access->loc);
}

static void cut_unit(struct ended *ended, const struct st_locked_tokens *what) {
    struct st_unit_maker *maker = ended->maker;
    struct st_model *model = maker->model;
    if (!model->pieces) {
        st_cut_unit(&maker->cutter, model, what, put_piece, ended);
        return;
    }
    const struct st_piece_group group = {thread_of(maker, ended->actor), ended->actor->first_period,
                                         ended->actor->last_period};
    ended->group = st_piece_group_of(model->pieces, &group);
    st_cut_into_accesses(&maker->cutter, model, what, put_access, ended);
}

/* Adds a unit of these tokens and of the events first .. last, or its pieces, if they are to be
 * kept. */
static void put_unit(struct st_unit_maker *maker, struct actor *actor,
                     const struct st_seen_token *tokens, size_t count, const uint32_t *held,
                     size_t held_count, bool transaction, uint64_t first, uint64_t last) {
    const struct st_locked_tokens what = {held, held_count, tokens, count};
    struct st_spare_verdict spared = spare_unit(maker, actor, &what, transaction);
    struct ended ended = {.maker = maker, .actor = actor, .begin = first, .end = last};
    if (count && tokens[0].number < first)
        ended.begin = tokens[0].number;
    if (count && tokens[count - 1].number > last)
        ended.end = tokens[count - 1].number;
    if (spared.keep_pieces)
        cut_unit(&ended, &what);
    if (!spared.keep_unit)
        return;
    struct st_unit like = describe(&ended);
    for (size_t i = 0; i < count; i++) {
        like.own_first += tokens[i].number < first;
        like.own_end += tokens[i].number <= last;
    }
    like.transaction = spared.keep_instance;
    if (spared.keep_instance)
        like.block = actor->block;
    const struct st_unit *unit = count_unit(maker, &like, &what, ended.end);
    if (maker->model->options.keep_sequence)
        put_occurrence(maker->model, unit, tokens, count);
    if (spared.keep_instance)
        put_instance(maker->model, actor, unit);
}

static void start_unit(struct st_unit_maker *maker, struct actor *actor) {
    st_unit_tokens_clear(&actor->unit);
    actor->unit_held_count = actor->held_count;
    st_reserve(&actor->unit_held, &actor->unit_held_capacity, actor->held_count + 1);
    if (actor->held_count)
        memcpy(actor->unit_held, actor->held, actor->held_count * sizeof *actor->held);
    actor->first_period = actor->last_period = period_of(maker, actor);
    actor->ordered_within = false;
}

/* Makes one unit of everything gathered. */
static void put_whole(struct st_unit_maker *maker, struct actor *actor) {
    st_unit_tokens_finish(&actor->unit);
    uint64_t last = actor->last == UINT64_MAX ? maker->last_event : actor->last;
    put_unit(maker, actor, actor->unit.tokens, actor->unit.count, actor->unit_held,
             actor->unit_held_count, actor->is_transaction, actor->first, last);
}

/* ---- critical sections that are loose ---- */

static void mark_loose(struct st_unit_maker *maker, const struct actor *actor) {
    for (size_t i = 0; i < actor->held_count && !maker->model->options.data; i++)
        maker->model->locks[actor->held[i]].loose = true;
}

static void remove_lock(uint32_t *held, size_t *count, uint32_t lock) {
    size_t place = 0;
    while (place < *count && held[place] != lock)
        place++;
    if (place == *count)
        return;
    memmove(held + place, held + place + 1, (--*count - place) * sizeof *held);
}

static void spill_token(struct st_unit_maker *maker, const struct st_token *token) {
    if (token->kind == ST_TOKEN_ACQUIRE) {
        st_reserve(&maker->spilled, &maker->spilled_capacity, maker->spilled_count + 1);
        maker->spilled[maker->spilled_count++] = token->target;
    } else if (token->kind == ST_TOKEN_RELEASE) {
        remove_lock(maker->spilled, &maker->spilled_count, token->target);
    }
}

/* What was gathered does not stay together: the events before and after the one unit become units
 * of their own. */
static void spill(struct st_unit_maker *maker, struct actor *actor) {
    struct st_unit_tokens *unit = &actor->unit;
    bool has_unit = actor->state == GATHERED || actor->depth;
    st_unit_tokens_finish(unit);
    maker->spilled_count = 0;
    for (size_t i = 0, j; i < unit->count || has_unit; i = j) {
        const struct st_seen_token *token = &unit->tokens[i];
        bool is_unit = has_unit && (i == unit->count || token->number >= actor->first);
        uint64_t last = is_unit ? actor->last : 0;
        for (j = is_unit ? i : i + 1; j < unit->count && unit->tokens[j].number <= last;)
            j++;
        if (is_unit)
            put_unit(maker, actor, token, j - i, maker->spilled, maker->spilled_count,
                     actor->is_transaction, actor->first,
                     last == UINT64_MAX ? maker->last_event : last);
        else
            put_unit(maker, actor, token, 1, maker->spilled, maker->spilled_count, false,
                     token->number, token->number);
        for (size_t k = i; k < j; k++)
            spill_token(maker, &unit->tokens[k].token);
        has_unit &= !is_unit;
    }
    mark_loose(maker, actor);
    actor->state = actor->held_count ? LOOSE : APART;
}

static bool is_gathering(const struct actor *actor) {
    return actor->state == GATHERING || actor->state == GATHERED;
}

/* ---- accesses ---- */

static bool counts(const struct st_model *model, uint32_t variable) {
    const struct st_model_variable *facts = &model->variables[variable];
    return !facts->inner &&
           (facts->contended || (model->options.keep_shared && facts->shared && facts->written));
}

/* An access outside blocks begins. */
static void begin_access(struct st_unit_maker *maker, struct actor *actor, uint64_t number) {
    if (actor->state == GATHERED || (actor->state == GATHERING && actor->beside))
        spill(maker, actor);
    if (actor->state == GATHERING)
        actor->state = GATHERED;
    else
        start_unit(maker, actor);
    actor->is_transaction = false;
    actor->first = actor->last = number;
}

static void end_access(struct st_unit_maker *maker, struct actor *actor, uint64_t number) {
    if (actor->depth)
        return;
    actor->last = number;
    if (!is_gathering(actor))
        put_whole(maker, actor);
}

/* The operation makes no more accesses. */
static void close_step(struct st_unit_maker *maker, struct actor *actor) {
    const struct st_spot *last = &actor->step_last;
    if (actor->step_count)
        actor->last_period = period_of(maker, actor);
    while (actor->step_count)
        st_unit_tokens_release(&actor->unit, actor->step[--actor->step_count], last->number,
                               last->loc);
    end_access(maker, actor, last->number);
}

static bool is_in_step(const struct actor *actor, uint32_t lock) {
    for (size_t i = 0; i < actor->step_count; i++)
        if (actor->step[i] == lock)
            return true;
    return false;
}

/* Holds the lock until the next event is known. */
static void access_indivisible(struct st_unit_maker *maker, struct actor *actor,
                               const struct st_event *event, struct st_token token,
                               uint64_t number) {
    uint32_t lock = st_variable_lock(maker->model, event->target);
    if (!is_in_step(actor, lock)) {
        st_unit_tokens_acquire(&actor->unit, lock, number, event->loc);
        st_reserve(&actor->step, &actor->step_capacity, actor->step_count + 1);
        actor->step[actor->step_count++] = lock;
    }
    st_unit_tokens_add(&actor->unit, token, number, event->loc);
    actor->step_last = (struct st_spot){number, event->loc};
}

static void on_access(struct st_unit_maker *maker, struct actor *actor,
                      const struct st_event *event, uint64_t number) {
    struct st_token token = {event->op == ST_WRITE ? ST_TOKEN_WRITE : ST_TOKEN_READ, event->target};
    if (!counts(maker->model, event->target))
        return;
    if (!actor->depth && !actor->step_count)
        begin_access(maker, actor, number);
    actor->last_period = period_of(maker, actor);
    if (maker->model->variables[event->target].indivisible) {
        access_indivisible(maker, actor, event, token, number);
        return;
    }
    st_unit_tokens_add(&actor->unit, token, number, event->loc);
    end_access(maker, actor, number);
}

/* ---- locks ---- */

/* Adds a lock operation outside blocks that cannot be merged into another unit. */
static void put_alone(struct st_unit_maker *maker, struct actor *actor, uint64_t number) {
    actor->is_transaction = false;
    actor->first = actor->last = number;
    put_whole(maker, actor);
}

/* A lock that only one thread uses at a time does not matter to others. Inside blocks it is kept,
 * because reduction has an option to count it. */
static void on_acquire(struct st_unit_maker *maker, struct actor *actor,
                       const struct st_event *event, uint64_t number) {
    bool contended = maker->model->locks[event->target].contended;
    if (!actor->depth && !contended)
        return;
    if (!actor->depth && !is_gathering(actor))
        start_unit(maker, actor);
    actor->last_period = period_of(maker, actor);
    st_unit_tokens_acquire(&actor->unit, event->target, number, event->loc);
    if (!contended)
        return;
    st_reserve(&actor->held, &actor->held_capacity, actor->held_count + 1);
    actor->held[actor->held_count++] = event->target;
    if (actor->depth)
        return;
    if (actor->state == APART) {
        actor->state = maker->model->options.keep_sequence ? LOOSE : GATHERING;
        actor->beside = false;
        actor->first = actor->last = number;
    } else if (actor->state == GATHERED) {
        actor->beside = true; /* it can only be after the unit */
    }
    if (actor->state == LOOSE) {
        put_alone(maker, actor, number);
        mark_loose(maker, actor);
    }
}

/* A critical section ended inside another one, outside blocks. If it is next to the gathered
 * access, the two may come apart: another thread may hold the section's lock just then. A
 * transaction is checked together with everything gathered around it, so there the section can
 * stay. */
static void close_inner(struct st_unit_maker *maker, struct actor *actor) {
    if (actor->state == GATHERING)
        actor->beside = true;
    if (actor->state == GATHERED && actor->beside && !actor->is_transaction)
        spill(maker, actor);
}

static void close_outermost(struct st_unit_maker *maker, struct actor *actor) {
    if (actor->state == GATHERING)
        actor->is_transaction = false; /* empty critical sections */
    if (actor->state == GATHERING || actor->state == GATHERED)
        put_whole(maker, actor);
    actor->state = APART;
}

static void on_release(struct st_unit_maker *maker, struct actor *actor,
                       const struct st_event *event, uint64_t number) {
    bool contended = maker->model->locks[event->target].contended;
    if (!actor->depth && !contended)
        return;
    if (!actor->depth && actor->state == LOOSE)
        start_unit(maker, actor);
    actor->last_period = period_of(maker, actor);
    st_unit_tokens_release(&actor->unit, event->target, number, event->loc);
    if (contended)
        remove_lock(actor->held, &actor->held_count, event->target);
    if (actor->depth)
        return;
    if (actor->state == LOOSE)
        put_alone(maker, actor, number);
    if (actor->held_count)
        close_inner(maker, actor);
    else
        close_outermost(maker, actor);
}

static void on_nested(struct actor *actor, const struct st_event *event, uint64_t number) {
    struct st_token token = {event->written == ST_ACQUIRE ? ST_TOKEN_REACQUIRE : ST_TOKEN_RERELEASE,
                             event->target};
    if (actor->depth)
        st_unit_tokens_add(&actor->unit, token, number, event->loc);
}

/* ---- blocks ---- */

static void begin_part(struct st_unit_maker *maker, struct actor *actor, uint64_t number) {
    if (actor->state == GATHERED)
        spill(maker, actor);
    if (actor->state != GATHERING)
        start_unit(maker, actor);
    actor->is_transaction = true;
    actor->first = number;
    actor->last = UINT64_MAX;
    actor->lead = actor->unit.count;
}

/* The block ends with this event, or is split by it. The locks that it then holds may be released
 * before anything else happens. */
static void end_part(struct st_unit_maker *maker, struct actor *actor, uint64_t number,
                     bool splits) {
    actor->last = number;
    if (!actor->held_count || actor->state == LOOSE || maker->model->options.keep_sequence) {
        put_whole(maker, actor);
        mark_loose(maker, actor);
        actor->state = actor->held_count ? LOOSE : APART;
    } else if (splits) {
        spill(maker, actor);
    } else if (actor->unit.count == actor->lead) { /* it did nothing that others can notice */
        put_unit(maker, actor, NULL, 0, NULL, 0, true, actor->first, number);
    } else {
        actor->state = GATHERED;
    }
}

static void on_begin(struct st_unit_maker *maker, struct actor *actor, const struct st_event *event,
                     uint64_t number) {
    if (actor->depth++)
        return;
    begin_part(maker, actor, number);
    actor->block = event->target;
    actor->begin = number;
    actor->end = 0;
    actor->parted = false;
    actor->begin_loc = event->loc;
}

static void on_end(struct st_unit_maker *maker, struct actor *actor, uint64_t number) {
    if (actor->depth == 1) {
        actor->end = number;
        end_part(maker, actor, number, false);
    }
    actor->depth--;
}

/* A send lets others come after what was before it; a receive matters if it brings news. */
static void note_order_within(struct st_unit_maker *maker, struct actor *actor,
                              const struct st_event *event, uint32_t before) {
    const struct st_period *periods = maker->order->periods.items;
    uint32_t now = period_of(maker, actor);
    if (now != before && (event->op == ST_SEND || periods[now].clock != periods[before].clock))
        actor->ordered_within = true;
}

/* The order of periods changes. Where it does so in every schedule, units are split. */
static void on_order(struct st_unit_maker *maker, struct actor *actor, const struct st_event *event,
                     uint64_t number) {
    bool splits = st_order_splits(maker->order, event);
    actor->parted |= splits && actor->depth;
    if (splits && actor->depth)
        end_part(maker, actor, number, true);
    else if (splits && is_gathering(actor))
        spill(maker, actor);
    uint32_t before = period_of(maker, actor);
    st_order_event(maker->order, event);
    if (splits && actor->depth)
        begin_part(maker, actor, number);
    else if (!splits && actor->depth && !st_is_handover(maker->order->handovers, event->target))
        note_order_within(maker, actor, event, before);
}

/* ---- events ---- */

void st_unit_maker_event(struct st_unit_maker *maker, const struct st_event *event,
                         uint64_t number) {
    if (event->op == ST_DROPPED)
        return;
    struct actor *actor = actor_of(maker, event->thread);
    maker->last_event = number;
    if (actor->step_count && !(event->op <= ST_WRITE && event->joined))
        close_step(maker, actor);
    switch (event->op) {
    case ST_READ:
        on_access(maker, actor, event, number);
        break;
    case ST_WRITE:
        on_access(maker, actor, event, number);
        st_order_event(maker->order, event);
        break;
    case ST_ACQUIRE:
        on_acquire(maker, actor, event, number);
        break;
    case ST_RELEASE:
        on_release(maker, actor, event, number);
        break;
    case ST_NESTED:
        on_nested(actor, event, number);
        break;
    case ST_BEGIN:
        on_begin(maker, actor, event, number);
        break;
    case ST_END:
        on_end(maker, actor, number);
        break;
    case ST_FORK:
    case ST_JOIN:
    case ST_SEND:
    case ST_RECEIVE:
        on_order(maker, actor, event, number);
        break;
    default:
        break;
    }
}

void st_unit_maker_finish(struct st_unit_maker *maker) {
    for (size_t i = 0; i < maker->actor_count; i++) {
        struct actor *actor = &maker->actors[i];
        if (actor->step_count)
            close_step(maker, actor);
        maker->model->held_at_end |= actor->held_count > 0;
        actor->parted |= actor->depth > 0;
        if (actor->depth)
            end_part(maker, actor, maker->last_event, true);
        else if (is_gathering(actor))
            spill(maker, actor);
    }
}
