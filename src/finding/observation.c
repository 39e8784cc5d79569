#include "finding/observation.h"

#include <string.h>

static const char *const names[ST_OUTCOME_COUNT] = {
    [ST_OUTCOME_SAME] = "same",  [ST_OUTCOME_OUTPUT] = "output",     [ST_OUTCOME_STATUS] = "status",
    [ST_OUTCOME_HANG] = "hang",  [ST_OUTCOME_DEADLOCK] = "deadlock", [ST_OUTCOME_ASSERT] = "assert",
    [ST_OUTCOME_CRASH] = "crash"};

const char *st_outcome_name(enum st_outcome outcome) {
    return names[outcome];
}

enum st_outcome st_outcome_find(const char *name) {
    int outcome = 0;
    while (outcome < ST_OUTCOME_COUNT && strcmp(names[outcome], name) != 0)
        outcome++;
    return (enum st_outcome)outcome;
}

const char *st_confirmation_name(enum st_confirmation state) {
    return state == ST_CONFIRMED    ? "confirmed"
           : state == ST_IMPOSSIBLE ? "cannot happen"
                                    : "not confirmed";
}
