#include "predict/model/channel_uses.h"

#include "base/memory.h"

#include <stdlib.h>

/* ---- barriers ---- */

void st_barriers_init(struct st_barriers *barriers, const struct st_channels *kinds) {
    *barriers = (struct st_barriers){.kinds = kinds};
}

void st_barriers_free(struct st_barriers *barriers) {
    for (size_t i = 0; i < barriers->count; i++)
        free(barriers->channels[i].senders);
    free(barriers->channels);
    free(barriers->waiting);
}

static struct st_barrier_channel *barrier_channel(struct st_barriers *barriers, uint32_t number) {
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

static void arrive(struct st_barrier_channel *channel, uint32_t thread) {
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

static void depart(struct st_barrier_channel *channel, uint32_t thread) {
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
            barrier_channel(barriers, channel)->broken = true;
    } else if (receives) {
        barrier_channel(barriers, event->target)->broken = true;
    }
    if (!sends && !receives)
        return;
    struct st_barrier_channel *channel = barrier_channel(barriers, event->target);
    if (sends) {
        arrive(channel, thread);
        st_reserve(&barriers->waiting, &barriers->waiting_capacity, (size_t)thread + 1);
        barriers->waiting[thread] = event->target + 1;
    } else {
        depart(channel, thread);
    }
}

bool st_is_barrier(const struct st_barriers *barriers, uint32_t channel) {
    if (barriers->kinds && st_channel(barriers->kinds, channel).kind == ST_TEAM)
        return true;
    return channel < barriers->count && barriers->channels[channel].used &&
           !barriers->channels[channel].broken;
}

/* ---- one-time initialisation ---- */

void st_onces_init(struct st_onces *onces) {
    *onces = (struct st_onces){0};
}

void st_onces_free(struct st_onces *onces) {
    free(onces->channels);
    free(onces->threads);
}

static struct st_once_channel *once_channel(struct st_onces *onces, uint32_t number) {
    st_reserve(&onces->channels, &onces->capacity, (size_t)number + 1);
    if (number >= onces->count)
        onces->count = (size_t)number + 1;
    return &onces->channels[number];
}

static void complete(struct st_once_channel *channel, const struct st_event *event) {
    uint32_t thread = event->thread + 1;
    if (channel->sender || (channel->first && channel->first != thread)) {
        channel->broken = true;
        return;
    }
    channel->sender = thread;
    channel->fits = channel->first && channel->first_loc == event->loc;
}

static void pass(struct st_once_channel *channel, const struct st_event *event) {
    if (channel->sender)
        return;
    if (channel->first)
        channel->broken = true;
    channel->first = event->thread + 1;
    channel->first_loc = event->loc;
}

void st_onces_event(struct st_onces *onces, const struct st_event *event) {
    if (event->op == ST_DROPPED || event->op == ST_UNMARKED)
        return;
    if (event->thread < onces->thread_capacity && onces->threads[event->thread].sent) {
        struct st_once_thread *thread = &onces->threads[event->thread];
        if (event->op == ST_RECEIVE && event->target == thread->sent - 1 &&
            event->loc == thread->loc)
            onces->channels[event->target].fits = true;
        thread->sent = 0;
    }
    if (event->op == ST_RECEIVE) {
        pass(once_channel(onces, event->target), event);
    } else if (event->op == ST_SEND) {
        complete(once_channel(onces, event->target), event);
        st_reserve(&onces->threads, &onces->thread_capacity, (size_t)event->thread + 1);
        onces->threads[event->thread] = (struct st_once_thread){event->target + 1, event->loc};
    }
}

bool st_is_once(const struct st_onces *onces, uint32_t channel) {
    return channel < onces->count && onces->channels[channel].sender &&
           onces->channels[channel].fits && !onces->channels[channel].broken;
}
