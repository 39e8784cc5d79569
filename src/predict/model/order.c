#include "predict/model/order.h"

#include "base/memory.h"

#include <stdlib.h>

void st_order_init(struct st_order *order, enum st_model_order mode,
                   const struct st_barriers *barriers, const struct st_onces *onces) {
    *order = (struct st_order){.mode = mode, .barriers = barriers, .onces = onces};
    st_periods_init(&order->periods);
}

void st_order_free(struct st_order *order) {
    st_periods_free(&order->periods);
    for (size_t i = 0; i < order->channel_capacity; i++)
        st_message_free(&order->channels[i].message);
    free(order->channels);
}

static bool is_barrier(const struct st_order *order, uint32_t channel) {
    return order->barriers && st_is_barrier(order->barriers, channel);
}

bool st_order_splits(const struct st_order *order, const struct st_event *event) {
    switch (event->op) {
    case ST_FORK:
    case ST_JOIN:
        return true;
    case ST_SEND:
    case ST_RECEIVE:
        return is_barrier(order, event->target);
    default:
        return false;
    }
}

bool st_order_is_certain(const struct st_order *order, uint32_t channel) {
    return order->barriers && (is_barrier(order, channel) || st_is_once(order->onces, channel));
}

bool st_order_counts(const struct st_order *order, uint32_t channel) {
    return order->barriers && (order->mode == ST_MODEL_ALL || st_order_is_certain(order, channel));
}

static void use_channel(struct st_order *order, const struct st_event *event) {
    bool barrier = is_barrier(order, event->target);
    if (!st_order_counts(order, event->target))
        return;
    st_reserve(&order->channels, &order->channel_capacity, (size_t)event->target + 1);
    struct st_order_channel *channel = &order->channels[event->target];
    if (event->op == ST_RECEIVE) {
        st_periods_receive(&order->periods, event->thread, &channel->message);
        channel->received = true;
        return;
    }
    if (barrier && channel->received)
        st_message_free(&channel->message); /* a new round */
    channel->received = false;
    st_periods_send(&order->periods, event->thread, &channel->message);
}

void st_order_event(struct st_order *order, const struct st_event *event) {
    switch (event->op) {
    case ST_FORK:
        st_periods_fork(&order->periods, event->thread, event->target);
        break;
    case ST_JOIN:
        st_periods_join(&order->periods, event->thread, event->target);
        break;
    case ST_SEND:
    case ST_RECEIVE:
        use_channel(order, event);
        break;
    default:
        break;
    }
}
