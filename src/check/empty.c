/* No engine at all: takes the events and answers nothing. What an online run costs with it is what
 * watching a program costs, so it is the baseline for what engines cost (the papers' "Empty"). */
#include "check/engine.h"

static void *create(struct st_findings *findings) {
    findings->gave_up = "`empty` takes the events and answers nothing: it is a baseline";
    return findings;
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    (void)state, (void)events, (void)count, (void)first;
}

static void forget(void *state, uint32_t variable) {
    (void)state, (void)variable;
}

static void finish(void *state, uint64_t events) {
    (void)state, (void)events;
}

static size_t memory(const void *state) {
    (void)state;
    return 0;
}

static void destroy(void *state) {
    (void)state;
}

const struct st_engine st_empty = {
    .name = "empty",
    .summary = "none: takes the events and answers nothing, as a baseline",
    .create = create,
    .feed = feed,
    .forget = forget,
    .finish = finish,
    .memory = memory,
    .destroy = destroy,
};
