#include "predict/model/handovers.h"

#include "base/memory.h"

#include <stdlib.h>

/* Each divides periods, and equal units of one period are kept once. Beyond so many, hand-overs
 * order nothing, which misses nothing. */
enum { MOST_HANDOVERS = 4096 };

#define SEVERAL UINT32_MAX

void st_handovers_init(struct st_handovers *handovers, const struct st_channels *kinds) {
    *handovers = (struct st_handovers){.kinds = kinds};
    st_map64_init(&handovers->flags);
}

void st_handovers_free(struct st_handovers *handovers) {
    free(handovers->channels);
    free(handovers->threads);
    free(handovers->channel_of_flag);
    st_bits_free(&handovers->written);
    st_bits_free(&handovers->written_again);
    st_map64_free(&handovers->flags);
}

/* ---- what channels are used for ---- */

static bool is_signal(const struct st_handovers *handovers, uint32_t channel) {
    return !handovers->kinds || st_channel(handovers->kinds, channel).kind == ST_SIGNAL;
}

static struct st_handover_channel *channel_at(struct st_handovers *handovers, uint32_t number) {
    st_reserve(&handovers->channels, &handovers->capacity, (size_t)number + 1);
    for (; handovers->count <= number; handovers->count++)
        if (!is_signal(handovers, (uint32_t)handovers->count))
            handovers->channels[handovers->count].broken =
                handovers->channels[handovers->count].no_look = true;
    return &handovers->channels[number];
}

static struct st_handover_thread *thread_at(struct st_handovers *handovers, uint32_t number) {
    if (number >= handovers->thread_capacity)
        st_reserve(&handovers->threads, &handovers->thread_capacity, (size_t)number + 1);
    return &handovers->threads[number];
}

static void send(struct st_handover_channel *channel, uint32_t thread) {
    channel->no_look = true;
    if (!channel->giver)
        channel->giver = thread + 1;
    else if (channel->giver == thread + 1)
        channel->broken = true;
    else if (!channel->other)
        channel->other = thread + 1;
    else if (channel->other != thread + 1)
        channel->other = SEVERAL;
}

/* Who has sent before may be let in by that. */
static void receive(struct st_handover_channel *channel, const struct st_handover_thread *thread,
                    uint32_t number, uint64_t loc) {
    bool looked = thread->looked && thread->loc == loc;
    channel->broken |=
        !channel->giver || channel->other == number + 1 || (thread->acquired && thread->loc == loc);
    if (!looked || (channel->flag && channel->flag != thread->looked))
        channel->no_look = true;
    else
        channel->flag = thread->looked;
}

static void write_variable(struct st_handovers *handovers, uint32_t variable) {
    if (st_bits_has(&handovers->written, variable))
        st_bits_add(&handovers->written_again, variable);
    else
        st_bits_add(&handovers->written, variable);
}

/* Begins and ends of blocks do not come between. */
static bool is_nothing(const struct st_event *event) {
    return event->op == ST_DROPPED || event->op == ST_UNMARKED || event->op == ST_BEGIN ||
           event->op == ST_END;
}

void st_handovers_event(struct st_handovers *handovers, const struct st_event *event) {
    if (is_nothing(event))
        return;
    struct st_handover_thread *thread = thread_at(handovers, event->thread);
    struct st_handover_thread now = {.loc = event->loc};
    if (event->op == ST_ACQUIRE && thread->received && thread->loc == event->loc)
        channel_at(handovers, thread->received - 1)->broken = true;
    switch (event->op) {
    case ST_WRITE:
        write_variable(handovers, event->target);
        break;
    case ST_READ:
        now.looked = event->atomic ? event->target + 1 : 0;
        break;
    case ST_ACQUIRE:
        now.acquired = true;
        break;
    case ST_SEND:
        send(channel_at(handovers, event->target), event->thread);
        break;
    case ST_RECEIVE:
        receive(channel_at(handovers, event->target), thread, event->thread, event->loc);
        now.received = event->target + 1;
        break;
    default:
        break;
    }
    *thread = now;
}

/* ---- what they are ---- */

static bool is_flag(const struct st_handovers *handovers,
                    const struct st_handover_channel *channel) {
    return !channel->no_look && channel->flag &&
           st_bits_has(&handovers->written, channel->flag - 1) &&
           !st_bits_has(&handovers->written_again, channel->flag - 1);
}

static bool is_given_once(const struct st_handover_channel *channel) {
    return channel->giver && !channel->broken && channel->other != SEVERAL;
}

/* False if another channel stands for the variable already. */
static bool add_flag(struct st_handovers *handovers, uint32_t channel) {
    uint32_t before = handovers->flags.count;
    uint32_t number = st_map64_number(&handovers->flags, handovers->channels[channel].flag - 1);
    if (number < before)
        return false;
    st_reserve(&handovers->channel_of_flag, &handovers->flag_capacity, (size_t)number + 1);
    handovers->channel_of_flag[number] = channel;
    return true;
}

void st_handovers_finish(struct st_handovers *handovers, const struct st_barriers *barriers,
                         const struct st_onces *onces) {
    for (uint32_t i = 0; i < handovers->count; i++) {
        struct st_handover_channel *channel = &handovers->channels[i];
        bool other = handovers->known >= MOST_HANDOVERS || st_is_barrier(barriers, i) ||
                     st_is_once(onces, i);
        if (other || !is_flag(handovers, channel) || !add_flag(handovers, i))
            channel->flag = 0;
        channel->broken |= other || !is_given_once(channel);
        handovers->known += channel->flag || !channel->broken;
    }
}

/* ---- events ---- */

static uint32_t flag_at(const struct st_handovers *handovers, uint32_t variable) {
    uint32_t number =
        handovers->flags.count ? st_map64_find(&handovers->flags, variable) : ST_MAP64_NONE;
    return number == ST_MAP64_NONE ? ST_MAP64_NONE : handovers->channel_of_flag[number];
}

bool st_is_handover(const struct st_handovers *handovers, uint32_t channel) {
    return handovers->known && channel < handovers->count &&
           (handovers->channels[channel].flag || !handovers->channels[channel].broken);
}

enum st_handover_role st_handover_role(const struct st_handovers *handovers,
                                       const struct st_event *event, uint32_t *channel) {
    if (!handovers->known)
        return ST_NO_HANDOVER;
    if (event->op == ST_WRITE) {
        *channel = flag_at(handovers, event->target);
        return *channel == ST_MAP64_NONE ? ST_NO_HANDOVER : ST_GIVES;
    }
    if ((event->op != ST_SEND && event->op != ST_RECEIVE) ||
        !st_is_handover(handovers, event->target))
        return ST_NO_HANDOVER;
    const struct st_handover_channel *found = &handovers->channels[event->target];
    *channel = event->target;
    if (found->flag)
        return ST_TAKES;
    if (event->op == ST_SEND)
        return event->thread + 1 == found->giver ? ST_GIVES : ST_NO_HANDOVER;
    bool takes =
        event->thread + 1 != found->giver && (!found->other || found->other == event->thread + 1);
    return takes ? ST_TAKES : ST_NO_HANDOVER;
}
