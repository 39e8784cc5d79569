#include "predict/model/order.h"

#include "base/memory.h"

#include <stdlib.h>

void st_order_init(struct st_order *order, enum st_model_order mode,
                   const struct st_barriers *barriers, const struct st_onces *onces,
                   const struct st_handovers *handovers) {
    *order = (struct st_order){
        .mode = mode, .barriers = barriers, .onces = onces, .handovers = handovers};
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
    return order->barriers && (is_barrier(order, channel) || st_is_once(order->onces, channel) ||
                               st_is_handover(order->handovers, channel));
}

bool st_order_counts(const struct st_order *order, uint32_t channel) {
    return order->barriers && (order->mode == ST_MODEL_ALL || st_order_is_certain(order, channel));
}

static struct st_order_channel *channel_at(struct st_order *order, uint32_t channel) {
    st_reserve(&order->channels, &order->channel_capacity, (size_t)channel + 1);
    return &order->channels[channel];
}

static void use_channel(struct st_order *order, const struct st_event *event) {
    bool barrier = is_barrier(order, event->target);
    if (!st_order_counts(order, event->target))
        return;
    struct st_order_channel *channel = channel_at(order, event->target);
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

/* True if the event is one of a channel that hands over. */
static bool hand_over(struct st_order *order, const struct st_event *event) {
    if (!order->barriers || !order->handovers->known)
        return false;
    uint32_t number;
    enum st_handover_role role = st_handover_role(order->handovers, event, &number);
    if (role == ST_GIVES)
        st_periods_send(&order->periods, event->thread, &channel_at(order, number)->message);
    else if (role == ST_TAKES)
        st_periods_receive(&order->periods, event->thread, &channel_at(order, number)->message);
    return event->op >= ST_SEND && st_is_handover(order->handovers, event->target);
}

void st_order_event(struct st_order *order, const struct st_event *event) {
    if (order->mode == ST_MODEL_NOTHING) {
        if (st_order_splits(order, event))
            st_periods_split(&order->periods, event->thread);
        return;
    }
    if ((event->op == ST_WRITE || event->op == ST_SEND || event->op == ST_RECEIVE) &&
        hand_over(order, event))
        return;
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
