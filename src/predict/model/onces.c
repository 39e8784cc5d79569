#include "predict/model/onces.h"

#include "base/memory.h"

#include <stdlib.h>

void st_onces_init(struct st_onces *onces) {
    *onces = (struct st_onces){0};
}

void st_onces_free(struct st_onces *onces) {
    free(onces->channels);
    free(onces->threads);
}

static struct st_once_channel *channel_of(struct st_onces *onces, uint32_t number) {
    st_reserve(&onces->channels, &onces->capacity, (size_t)number + 1);
    if (number >= onces->count)
        onces->count = (size_t)number + 1;
    return &onces->channels[number];
}

static void send(struct st_once_channel *channel, const struct st_event *event) {
    uint32_t thread = event->thread + 1;
    if (channel->sender || (channel->first && channel->first != thread)) {
        channel->broken = true;
        return;
    }
    channel->sender = thread;
    channel->fits = channel->first && channel->first_loc == event->loc;
}

static void receive(struct st_once_channel *channel, const struct st_event *event) {
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
        receive(channel_of(onces, event->target), event);
    } else if (event->op == ST_SEND) {
        send(channel_of(onces, event->target), event);
        st_reserve(&onces->threads, &onces->thread_capacity, (size_t)event->thread + 1);
        onces->threads[event->thread] = (struct st_once_thread){event->target + 1, event->loc};
    }
}

bool st_is_once(const struct st_onces *onces, uint32_t channel) {
    return channel < onces->count && onces->channels[channel].sender &&
           onces->channels[channel].fits && !onces->channels[channel].broken;
}
