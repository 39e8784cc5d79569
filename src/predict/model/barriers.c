#include "predict/model/barriers.h"

#include "base/memory.h"

#include <stdlib.h>

void st_barriers_init(struct st_barriers *barriers) {
    *barriers = (struct st_barriers){0};
}

void st_barriers_free(struct st_barriers *barriers) {
    for (size_t i = 0; i < barriers->count; i++)
        free(barriers->channels[i].senders);
    free(barriers->channels);
    free(barriers->waiting);
}

static struct st_barrier_channel *channel_of(struct st_barriers *barriers, uint32_t number) {
    st_reserve(&barriers->channels, &barriers->capacity, (size_t)number + 1);
    if (number >= barriers->count)
        barriers->count = (size_t)number + 1;
    return &barriers->channels[number];
}

static size_t find_sender(const struct st_barrier_channel *channel, uint32_t thread) {
    size_t i = 0;
    while (i < channel->sent && channel->senders[i] != thread)
        i++;
    return i;
}

static void send(struct st_barrier_channel *channel, uint32_t thread) {
    channel->used = true;
    if (channel->received && channel->received == channel->sent)
        channel->sent = channel->received = 0; /* the next round */
    if (channel->received || find_sender(channel, thread) < channel->sent) {
        channel->broken = true;
        return;
    }
    st_reserve(&channel->senders, &channel->capacity, channel->sent + 1);
    channel->senders[channel->sent++] = thread;
}

static void receive(struct st_barrier_channel *channel, uint32_t thread) {
    size_t place = find_sender(channel, thread);
    channel->used = true;
    if (channel->sent < 2 || place < channel->received || place == channel->sent) {
        channel->broken = true;
        return;
    }
    channel->senders[place] = channel->senders[channel->received];
    channel->senders[channel->received++] = thread;
}

/* At a barrier the recorder ends a block and begins another, between the send and the receive. */
static bool is_boundary(const struct st_event *event) {
    return event->op == ST_BEGIN || event->op == ST_END || event->op == ST_UNMARKED;
}

void st_barriers_event(struct st_barriers *barriers, const struct st_event *event) {
    uint32_t thread = event->thread;
    bool sends = event->op == ST_SEND, receives = event->op == ST_RECEIVE;
    if (event->op == ST_DROPPED || is_boundary(event))
        return;
    if (thread < barriers->waiting_capacity && barriers->waiting[thread]) {
        uint32_t channel = barriers->waiting[thread] - 1;
        barriers->waiting[thread] = 0;
        if (!receives || event->target != channel)
            channel_of(barriers, channel)->broken = true;
    } else if (receives) {
        channel_of(barriers, event->target)->broken = true;
    }
    if (!sends && !receives)
        return;
    struct st_barrier_channel *channel = channel_of(barriers, event->target);
    if (sends) {
        send(channel, thread);
        st_reserve(&barriers->waiting, &barriers->waiting_capacity, (size_t)thread + 1);
        barriers->waiting[thread] = event->target + 1;
    } else {
        receive(channel, thread);
    }
}

bool st_is_barrier(const struct st_barriers *barriers, uint32_t channel) {
    return channel < barriers->count && barriers->channels[channel].used &&
           !barriers->channels[channel].broken;
}
