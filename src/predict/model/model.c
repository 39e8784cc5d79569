#include "predict/model/model.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/scc.h"
#include "predict/model/contention.h"
#include "predict/model/exposure.h"
#include "predict/model/observers.h"
#include "predict/model/spare/crossings.h"
#include "predict/model/spare/piece_table.h"
#include "predict/model/spare/spare.h"
#include "predict/model/unit_maker.h"

#include <stdlib.h>
#include <string.h>

enum pass {
    PASS_SURVEY, /* what are channels used for? What is contended if they impose no order? */
    PASS_AGAIN,  /* what is contended if some do */
    PASS_UNITS,
    PASS_NONE
};

struct st_model_builder {
    enum pass pass;
    struct st_barriers barriers;
    struct st_onces onces;
    struct st_handovers handovers;
    struct st_rwlocks rwlocks;
    struct st_survey survey;
    struct st_exposure exposure;
    struct st_neighbours neighbours;
    /* Variables, as the first survey has them: those on which there may be a data race, those that
     * are contended, and those with accesses that may not be hidden. */
    struct st_bits racy, contended, in_doubt;
    struct st_bits
        hidden_in_block; /* those with accesses that are hidden for the sake of a block */
    struct st_order order;
    struct st_spare spare;
    struct st_order again; /* the same as `order` once more, while portions are made */
    struct {
        size_t units, instances, spots;
        uint64_t tokens;
    } lasting; /* what a portion is added to */
    struct st_unit_maker *maker;
};

struct st_model *st_model_new(const struct st_model_options *options) {
    struct st_model *model = st_alloc(1, sizeof *model);
    struct st_model_builder *builder = st_alloc(1, sizeof *builder);
    model->options = *options;
    model->builder = builder;
    st_shapes_init(&model->shapes);
    st_spots_init(&model->unit_spots);
    st_map64_init(&model->indivisible);
    st_locksets_init(&model->locksets);
    st_barriers_init(&builder->barriers, options->channels);
    st_onces_init(&builder->onces);
    st_rwlocks_init(&builder->rwlocks, options->channels);
    st_handovers_init(&builder->handovers, options->channels);
    st_survey_init(&builder->survey, options->order, NULL, NULL, NULL, &model->locksets);
    st_order_init(&builder->order, options->order, &builder->barriers, &builder->onces,
                  &builder->handovers);
    model->rwlocks = &builder->rwlocks;
    model->periods = &builder->order.periods;
    return model;
}

static void free_pieces(struct st_model *model) {
    if (model->pieces)
        st_pieces_free(model->pieces);
    if (model->crossings)
        st_crossings_free(model->crossings);
    free(model->pieces);
    free(model->crossings);
    model->pieces = NULL;
    model->crossings = NULL;
}

/* Those that were made; more may follow. */
static void free_units(struct st_model *model) {
    free_pieces(model);
    st_free_table(model->units, model->unit_capacity, sizeof *model->units);
    st_free_table(model->instances, model->instance_capacity, sizeof *model->instances);
    free(model->occurrences);
    free(model->spots);
    st_spots_free(&model->unit_spots);
    st_shapes_free(&model->shapes);
}

static void end_making(struct st_model *model) {
    st_observers_free(model->observers);
    st_unit_maker_free(model->builder->maker);
    model->builder->maker = NULL;
    st_order_free(&model->builder->order);
    st_order_free(&model->builder->again);
    model->builder->again = (struct st_order){0};
}

void st_model_free(struct st_model *model) {
    if (!model)
        return;
    struct st_model_builder *builder = model->builder;
    free_units(model);
    end_making(model);
    st_spare_free(&builder->spare);
    st_survey_free(&builder->survey);
    st_exposure_free(&builder->exposure);
    st_bits_free(&builder->neighbours.apart);
    st_bits_free(&builder->racy);
    st_bits_free(&builder->contended);
    st_bits_free(&builder->in_doubt);
    st_bits_free(&builder->hidden_in_block);
    st_barriers_free(&builder->barriers);
    st_onces_free(&builder->onces);
    st_handovers_free(&builder->handovers);
    st_rwlocks_free(&builder->rwlocks);
    free(builder);
    free(model->variables);
    free(model->locks);
    free(model->guarded.items);
    st_map64_free(&model->lock_pairs);
    st_map64_free(&model->indivisible);
    st_locksets_free(&model->locksets);
    free(model);
}

/* ---- passes ---- */

bool st_model_wants_pass(const struct st_model *model) {
    return model->builder->pass != PASS_NONE;
}

bool st_model_makes_units(const struct st_model *model) {
    return model->builder->pass == PASS_UNITS;
}

/* An access to memory that no other thread knows of is an event like any other of its thread, but
 * no access that matters to them. */
static struct st_event without_access(const struct st_event *hidden) {
    struct st_event event = *hidden;
    event.op = ST_UNMARKED;
    return event;
}

/* The first survey does not know yet what is contended: it takes all fresh memory for hidden, and
 * notes where that is in doubt. */
static bool is_hidden(struct st_model_builder *builder, const struct st_event *event,
                      uint64_t number) {
    bool access = event->op <= ST_WRITE, first = builder->pass == PASS_SURVEY;
    bool racy = access && st_bits_has(&builder->racy, event->target);
    bool contended = access && (first || st_bits_has(&builder->contended, event->target));
    bool hidden = st_exposure_event(&builder->exposure, event, number, racy, contended);
    if (!first)
        return hidden;
    if (event->fresh && !hidden)
        st_bits_add(&builder->in_doubt, event->target);
    return event->fresh;
}

/* By locks, the engines promise more than they can hold with order inside units. */
static bool hands_over(const struct st_model *model) {
    return model->options.data && model->options.order == ST_MODEL_BARRIERS;
}

/* Giving and taking a signal are accesses to the variable that stands for it. */
static bool signal_access(const struct st_model *model, const struct st_event *event,
                          struct st_event *access) {
    uint32_t channel;
    if (event->op < ST_SEND || event->op > ST_RECEIVE)
        return false;
    const struct st_handovers *handovers = &model->builder->handovers;
    enum st_handover_role role = st_handover_role(handovers, event, &channel);
    if (role == ST_NO_HANDOVER || st_handover_has_flag(handovers, channel))
        return false;
    *access = *event;
    access->op = access->written = role == ST_GIVES ? ST_WRITE : ST_READ;
    access->target = model->first_signal + channel;
    access->atomic = true;
    access->joined = access->fresh = false;
    return true;
}

/* Observers have seen everything when portions are made. A period gets its number when somebody
 * asks for it first. Pieces and portions must mean the same by it, so it is asked for here. */
static void take_for_units(struct st_model *model, const struct st_event *event, uint64_t number) {
    struct st_model_builder *builder = model->builder;
    bool portions = builder->spare.stage == ST_SPARE_PORTIONS;
    if (model->sparse && event->op != ST_DROPPED)
        st_periods_now(portions ? &builder->again.periods : &builder->order.periods, event->thread);
    if (!portions)
        st_observers_event(model->observers, event, number);
    st_unit_maker_event(builder->maker, event, number);
}

static void take_signal(struct st_model *model, const struct st_event *event, uint64_t number) {
    struct st_event access;
    if (!signal_access(model, event, &access))
        return;
    if (model->builder->pass == PASS_AGAIN) {
        st_survey_event(&model->builder->survey, &access, false);
    } else {
        take_for_units(model, &access, number);
    }
}

static void take_event(struct st_model *model, const struct st_event *event, uint64_t number) {
    struct st_model_builder *builder = model->builder;
    if (builder->handovers.known)
        take_signal(model, event, number);
    bool hidden = is_hidden(builder, event, number);
    struct st_event unmarked;
    switch (builder->pass) {
    case PASS_SURVEY:
        st_barriers_event(&builder->barriers, event);
        st_onces_event(&builder->onces, event);
        st_rwlocks_event(&builder->rwlocks, event);
        if (hands_over(model))
            st_handovers_event(&builder->handovers, event);
        st_survey_event(&builder->survey, event, hidden);
        break;
    case PASS_AGAIN:
        st_survey_event(&builder->survey, event, hidden);
        break;
    case PASS_UNITS:
        if (hidden) {
            if (st_exposure_by_block(&builder->exposure, event->thread))
                st_bits_add(&builder->hidden_in_block, event->target);
            unmarked = without_access(event);
            event = &unmarked;
        }
        take_for_units(model, event, number);
        break;
    case PASS_NONE:
        break;
    }
}

void st_model_feed(struct st_model *model, const struct st_event *events, size_t count,
                   uint64_t first) {
    struct st_rwlocks *rwlocks = &model->builder->rwlocks;
    if (model->options.ends_only && model->builder->pass == PASS_SURVEY)
        st_neighbours_feed(&model->builder->neighbours, events, count);
    if (!rwlocks->count) { /* as always in the first pass */
        for (size_t i = 0; i < count; i++)
            take_event(model, &events[i], first + i);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        st_rwlocks_translate(rwlocks, &events[i], first + i);
        for (size_t j = 0; j < rwlocks->step_count; j++)
            take_event(model, &rwlocks->steps[j].event, rwlocks->steps[j].number);
    }
}

/* Was it wrong to assume that channels order nothing? */
static bool has_channels(const struct st_model *model) {
    const struct st_order *order = &model->builder->order;
    for (uint32_t i = 0; i < model->builder->barriers.count; i++)
        if (st_order_counts(order, i))
            return true;
    return model->builder->rwlocks.count > 0 || model->builder->handovers.known > 0;
}

/* Was it wrong to take all fresh memory for hidden? Only what is shared matters. */
static bool may_be_exposed(struct st_model_builder *builder) {
    const struct st_survey *survey = &builder->survey;
    bool any_hidden = false, any_racy = false, in_doubt = false;
    for (uint32_t i = 0; i < survey->variable_count; i++) {
        bool hidden = survey->variables[i].hidden_in && survey->variables[i].shared;
        any_hidden |= hidden;
        in_doubt |= hidden && st_bits_has(&builder->in_doubt, i);
    }
    for (uint32_t i = 0; i < survey->variable_count && any_hidden; i++) {
        bool racy = st_survey_may_race(survey, i);
        any_racy |= racy;
        if (racy)
            st_bits_add(&builder->racy, i);
        if (survey->variables[i].contended)
            st_bits_add(&builder->contended, i);
    }
    return any_racy || in_doubt;
}

static void survey_again(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    st_survey_free(&builder->survey);
    st_survey_init(&builder->survey, model->options.order, &builder->barriers, &builder->onces,
                   &builder->handovers, &model->locksets);
    builder->pass = PASS_AGAIN;
}

static void take_locks(struct st_model *model, const struct st_survey *survey) {
    for (size_t i = 0; i < survey->lock_count; i++) {
        const struct st_lock_facts *facts = &survey->locks[i];
        model->locks[i] = (struct st_model_lock){.shared = facts->shared,
                                                 .contended = facts->contended,
                                                 .protectors = facts->protectors};
    }
    for (uint32_t i = 0; i < model->indivisible.count; i++) {
        const struct st_model_variable *variable = &model->variables[model->indivisible.ids[i]];
        model->locks[model->first_atomic_lock + i] =
            (struct st_model_lock){.shared = variable->shared, .contended = variable->contended};
    }
}

/* Variables that stand for signals are no neighbours. */
static bool is_inner(const struct st_model *model, size_t variable) {
    return model->options.ends_only && variable < model->first_signal &&
           st_is_inner(&model->builder->neighbours, (uint32_t)variable);
}

/* The locks that protect a variable while several threads are alive: before and after that, nobody
 * can be met. Most variables are not contended, and the pages of the table stay untouched. */
static void take_guards(struct st_model *model, const struct st_survey *survey) {
    struct st_guarding *guarding = &model->builder->spare.guarding;
    if (!model->options.may_be_sparse || survey->more_roots)
        return;
    guarding->groups = st_scc_of_edges(&survey->lock_pairs, model->lock_count);
    guarding->count = survey->variable_count;
    guarding->locksets = st_alloc(guarding->count + 1, sizeof *guarding->locksets);
    for (size_t i = 0; i < guarding->count; i++)
        if (survey->variables[i].contended && survey->variables[i].protectors)
            guarding->locksets[i] = survey->variables[i].protectors;
}

/* Keeps what the survey found and frees the rest. */
static void take_facts(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    struct st_survey *survey = &builder->survey;
    model->variable_count = survey->variable_count;
    model->variables = st_alloc(model->variable_count + 1, sizeof *model->variables);
    model->lock_count = builder->rwlocks.first_lock + st_rwlocks_lock_count(&builder->rwlocks);
    model->first_atomic_lock = (uint32_t)model->lock_count;
    for (size_t i = 0; i < model->variable_count; i++) {
        const struct st_variable_facts *facts = &survey->variables[i];
        model->variables[i] = (struct st_model_variable){.shared = facts->shared,
                                                         .written = facts->written,
                                                         .contended = facts->contended,
                                                         .indivisible = facts->indivisible,
                                                         .plain = facts->plain,
                                                         .inner = is_inner(model, i)};
        if (facts->indivisible)
            st_map64_number(&model->indivisible, i);
    }
    model->lock_count += model->indivisible.count;
    model->locks = st_alloc(model->lock_count + 1, sizeof *model->locks);
    take_locks(model, survey);
    take_guards(model, survey);
    st_map64_free(&model->lock_pairs);
    model->lock_pairs = survey->lock_pairs;
    survey->lock_pairs = (struct st_map64){0};
    model->channel_events = survey->channel_events;
    model->accesses = survey->accesses;
    model->unescaped = survey->unescaped;
    st_survey_free(survey);
    st_survey_init(survey, model->options.order, NULL, NULL, NULL, &model->locksets);
}

static void start_making(struct st_model *model, struct st_order *order) {
    struct st_spare *spare = model->options.may_be_sparse ? &model->builder->spare : NULL;
    if (spare && spare->stage == ST_SPARE_PIECES && model->options.data)
        model->pieces = st_alloc(1, sizeof *model->pieces);
    model->builder->maker = st_unit_maker_new(model, order, spare);
}

static void start_units(struct st_model *model) {
    model->observers = st_observers_new(model, &model->builder->order);
    start_making(model, &model->builder->order);
    model->builder->pass = PASS_UNITS;
}

static void forget_units(struct st_model *model) {
    free_units(model);
    model->units = NULL;
    model->instances = NULL;
    model->occurrences = NULL;
    model->spots = NULL;
    model->unit_count = model->unit_capacity = 0;
    model->instance_count = model->instance_capacity = 0;
    model->occurrence_count = model->occurrence_capacity = 0;
    model->spot_count = model->spot_capacity = 0;
    model->unit_tokens = 0;
    st_shapes_init(&model->shapes);
    st_spots_init(&model->unit_spots);
}

static void forget_guarded(struct st_model *model) {
    if (model->guarded.capacity)
        memset(model->guarded.items, 0, model->guarded.capacity * sizeof *model->guarded.items);
}

/* The last pass comes once more. */
static void repeat_units(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    forget_units(model);
    end_making(model);
    model->held_at_end = false;
    for (size_t i = 0; i < model->lock_count; i++)
        model->locks[i].loose = false;
    forget_guarded(model);
    builder->spare.grew = builder->spare.any_open = false;
    st_order_init(&builder->order, model->options.order, &builder->barriers, &builder->onces,
                  &builder->handovers);
    st_rwlocks_drop_broken(&builder->rwlocks); /* none is: it is where the pass began again */
    start_units(model);
}

/* All pieces are there. The next pass is over the same events, in the order that is known by now.
 */
static void start_portions(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    builder->spare.stage = ST_SPARE_PORTIONS;
    builder->lasting.units = model->unit_count;
    builder->lasting.instances = model->instance_count;
    builder->lasting.spots = model->unit_spots.count;
    builder->lasting.tokens = model->unit_tokens;
    st_shapes_seal(&model->shapes);
    st_observers_finish(model->observers);
    st_unit_maker_free(builder->maker);
    if (model->pieces) {
        st_pieces_finish(model->pieces, model->variable_count);
        model->crossings = st_alloc(1, sizeof *model->crossings);
        st_crossings_make(model->crossings, model->pieces, model->periods, model->first_signal);
    }
    st_order_init(&builder->again, model->options.order, &builder->barriers, &builder->onces,
                  &builder->handovers);
    st_rwlocks_drop_broken(&builder->rwlocks); /* as above */
    start_making(model, &builder->again);
}

/* Does it take one more pass? */
static bool start_next_stage(struct st_model *model) {
    struct st_spare *spare = &model->builder->spare;
    switch (spare->stage) {
    case ST_SPARE_UNITS:
        if (spare->any_open)
            spare->stage = ST_SPARE_PIECES;
        if (spare->any_open)
            repeat_units(model);
        return spare->stage == ST_SPARE_PIECES;
    case ST_SPARE_PIECES:
        if (spare->narrow && spare->grew)
            repeat_units(model);
        else
            start_portions(model);
        return true;
    default:
        return false;
    }
}

static void end_units(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    bool portions = builder->spare.stage == ST_SPARE_PORTIONS;
    st_unit_maker_finish(builder->maker);
    if (start_next_stage(model))
        return;
    if (!portions)
        st_observers_finish(model->observers);
    st_unit_maker_free(builder->maker);
    builder->maker = NULL;
    st_shapes_finish(&model->shapes);
    builder->pass = PASS_NONE;
}

void st_model_end_pass(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    if (builder->pass == PASS_SURVEY) {
        st_rwlocks_number(&builder->rwlocks, (uint32_t)builder->survey.lock_count);
        st_handovers_finish(&builder->handovers, &builder->barriers, &builder->onces);
        model->first_signal = (uint32_t)builder->survey.variable_count;
    }
    bool first = builder->pass == PASS_SURVEY;
    bool dropped = builder->pass == PASS_AGAIN && st_rwlocks_drop_broken(&builder->rwlocks);
    bool exposed = first && may_be_exposed(builder);
    st_exposure_restart(&builder->exposure);
    if (dropped || exposed || (first && has_channels(model))) {
        survey_again(model);
    } else if (builder->pass == PASS_UNITS) {
        end_units(model);
    } else {
        take_facts(model);
        start_units(model);
    }
}

enum { BYTES_A_UNIT = 100, BYTES_A_TOKEN = 36 }; /* measured with blocks that are all unlike */

size_t st_model_judging_bytes(const struct st_model *model) {
    enum { BYTES_A_VARIABLE = 2 * sizeof(uint32_t) }; /* at most, to sort pieces */
    size_t variables = model->pieces && !model->crossings ? model->variable_count : 0;
    return model->unit_count * BYTES_A_UNIT + model->unit_tokens * BYTES_A_TOKEN +
           variables * BYTES_A_VARIABLE;
}

/* The next units are of smaller blocks, and what was hidden for the sake of a block may be outside
 * of all of them. */
static void show_again(struct st_model *model) {
    for (uint32_t i = 0; i < model->variable_count; i++) {
        struct st_model_variable *variable = &model->variables[i];
        if (!variable->shared || !st_bits_has(&model->builder->hidden_in_block, i))
            continue;
        variable->contended = true;
        if (i < model->builder->spare.guarding.count)
            model->builder->spare.guarding.locksets[i] = 0; /* hidden accesses did not count */
        if (variable->indivisible)
            model->locks[st_variable_lock(model, i)].contended = true;
    }
}

void st_model_restart_units(struct st_model *model) {
    if (model->sparse)
        model->builder->spare.stage = ST_SPARE_PIECES;
    show_again(model);
    repeat_units(model);
}

/* ---- if memory is short ---- */

/* In vain for the rest of this pass. */
static void drop_units(struct st_model *model) {
    forget_units(model);
    st_unit_maker_forget(model->builder->maker);
}

bool st_model_spare(struct st_model *model) {
    struct st_spare *spare = &model->builder->spare;
    if (!model->options.may_be_sparse || model->builder->pass != PASS_UNITS)
        return false;
    if (spare->stage == ST_SPARE_NOTHING) {
        model->sparse = true;
        spare->stage = ST_SPARE_UNITS;
    } else if (spare->stage == ST_SPARE_PIECES && !spare->narrow) {
        model->has_gaps = spare->narrow = true;
        spare->grew = true; /* the pass comes once more */
    } else {
        return false;
    }
    drop_units(model);
    return true;
}

bool st_model_makes_pieces(const struct st_model *model) {
    return model->builder->spare.stage == ST_SPARE_PIECES;
}

bool st_model_makes_portions(const struct st_model *model) {
    return model->builder->pass == PASS_UNITS && model->builder->spare.stage == ST_SPARE_PORTIONS;
}

size_t st_model_portion(const struct st_model *model) {
    return st_model_makes_portions(model)
               ? model->instance_count - model->builder->lasting.instances
               : 0;
}

size_t st_model_portion_bytes(const struct st_model *model) {
    enum { BYTES_OF_UNIT = sizeof(struct st_unit) + sizeof(struct st_shape), BYTES_OF_TOKEN = 24 };
    const struct st_model_builder *builder = model->builder;
    if (!st_model_portion(model))
        return 0;
    return (model->unit_count - builder->lasting.units) * (BYTES_A_UNIT + BYTES_OF_UNIT) +
           (model->unit_tokens - builder->lasting.tokens) * (BYTES_A_TOKEN + BYTES_OF_TOKEN) +
           st_model_portion(model) * sizeof(struct st_instance);
}

void st_model_show_portion(struct st_model *model) {
    model->instances += model->builder->lasting.instances;
    model->instance_count -= model->builder->lasting.instances;
}

void st_model_drop_portion(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    model->instances -= builder->lasting.instances;
    model->instance_count = builder->lasting.instances;
    model->unit_count = builder->lasting.units;
    model->unit_tokens = builder->lasting.tokens;
    model->unit_spots.count = builder->lasting.spots;
    st_shapes_drop(&model->shapes);
    st_unit_maker_forget(builder->maker);
    forget_guarded(model);
}
