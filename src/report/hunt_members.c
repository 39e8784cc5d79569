#include "report/hunt_members.h"

#include "finding/observation.h"

#define MEMBER(type, member, key, kind, need)                                                      \
    { key, offsetof(struct type, member), ST_MEMBER_##kind, ST_MEMBER_##need }

const struct st_member st_hunt_members[] = {
    MEMBER(st_hunt_facts, runs, "runs", NUMBER, NEEDED),
    MEMBER(st_hunt_facts, points, "points", NUMBER, NEEDED),
    MEMBER(st_hunt_facts, switches, "switches", NUMBER, OPTIONAL),
    MEMBER(st_hunt_facts, seed, "seed", NUMBER, NEEDED),
    MEMBER(st_hunt_facts, loose, "loose", NUMBER, OPTIONAL),
    MEMBER(st_hunt_facts, other_outputs, "other_outputs", NUMBER, OPTIONAL),
    MEMBER(st_hunt_facts, exhausted, "exhausted", BOOL, OPTIONAL),
    MEMBER(st_hunt_facts, bound, "bound", NUMBER, OPTIONAL),
    MEMBER(st_hunt_facts, interrupted, "interrupted", BOOL, OPTIONAL),
    {0},
};

const struct st_member st_observation_members[] = {
    MEMBER(st_observation, run, "run", NUMBER, NEEDED),
    MEMBER(st_observation, seed, "seed", NUMBER, NEEDED),
    MEMBER(st_observation, strategy, "strategy", TEXT, NEEDED),
    MEMBER(st_observation, seen_in, "seen_in", NUMBER, OPTIONAL),
    MEMBER(st_observation, schedule, "schedule", TEXT, OPTIONAL),
    MEMBER(st_observation, preemptions, "preemptions", NUMBER, OPTIONAL),
    MEMBER(st_observation, minimised, "minimised", BOOL, OPTIONAL),
    MEMBER(st_observation, replayed, "replayed", TEXT, OPTIONAL),
    MEMBER(st_observation, outcome, "outcome", OUTCOME, NEEDED),
    MEMBER(st_observation, signal, "signal", TEXT, OPTIONAL),
    MEMBER(st_observation, message, "message", TEXT, OPTIONAL),
    MEMBER(st_observation, printed, "printed", TEXT, OPTIONAL),
    MEMBER(st_observation, expected, "expected", TEXT, OPTIONAL),
    MEMBER(st_observation, status, "status", NUMBER, OPTIONAL),
    MEMBER(st_observation, expected_status, "expected_status", NUMBER, OPTIONAL),
    MEMBER(st_observation, client, "client", BOOL, OPTIONAL),
    {0},
};

const struct st_member st_course_members[] = {
    MEMBER(st_course_step, thread, "thread", TEXT, NEEDED),
    MEMBER(st_course_step, does, "does", TEXT, NEEDED),
    MEMBER(st_course_step, blocks, "blocks", TEXTS, LEFT_OUT),
    MEMBER(st_course_step, until, "until", TEXT, LEFT_OUT),
    MEMBER(st_course_step, awaited, "for", TEXT, LEFT_OUT),
    MEMBER(st_course_step, function, "function", TEXT, LEFT_OUT),
    MEMBER(st_course_step, loc, "loc", TEXT, LEFT_OUT),
    {0},
};

const struct st_member st_failure_members[] = {
    MEMBER(st_failure, thread, "thread", TEXT, OPTIONAL),
    MEMBER(st_failure, function, "function", TEXT, OPTIONAL),
    MEMBER(st_failure, loc, "where", TEXT, OPTIONAL),
    MEMBER(st_failure, exact, "exact", BOOL, OPTIONAL),
    MEMBER(st_failure, fingerprint, "fingerprint", TEXT, NEEDED),
    {0},
};

const struct st_member st_stuck_members[] = {
    MEMBER(st_stuck_thread, thread, "thread", TEXT, NEEDED),
    MEMBER(st_stuck_thread, awaited, "for", TEXT, LEFT_OUT),
    MEMBER(st_stuck_thread, object, "object", TEXT, LEFT_OUT),
    MEMBER(st_stuck_thread, owner, "owner", TEXT, LEFT_OUT),
    MEMBER(st_stuck_thread, function, "function", TEXT, LEFT_OUT),
    MEMBER(st_stuck_thread, loc, "loc", TEXT, LEFT_OUT),
    {0},
};

const struct st_member st_tried_members[] = {
    MEMBER(st_tried_prediction, kind, "kind", TEXT, NEEDED),
    MEMBER(st_tried_prediction, block, "block", TEXT, OPTIONAL),
    MEMBER(st_tried_prediction, thread, "thread", TEXT, NEEDED),
    MEMBER(st_tried_prediction, begin, "begin", NUMBER, NEEDED),
    MEMBER(st_tried_prediction, loc, "loc", TEXT, OPTIONAL),
    MEMBER(st_tried_prediction, engines, "engines", TEXTS, OPTIONAL),
    MEMBER(st_tried_prediction, verdict, "verdict", TEXT, NEEDED),
    MEMBER(st_tried_prediction, pattern, "pattern", TEXT, OPTIONAL),
    MEMBER(st_tried_prediction, variables, "on", TEXTS, OPTIONAL),
    MEMBER(st_tried_prediction, tries, "tries", NUMBER, NEEDED),
    MEMBER(st_tried_prediction, placed, "placed", BOOL, OPTIONAL),
    {0},
};

const struct st_member st_confirmation_members[] = {
    MEMBER(st_tried_prediction, run, "run", NUMBER, OPTIONAL),
    MEMBER(st_tried_prediction, schedule, "schedule", TEXT, OPTIONAL),
    MEMBER(st_tried_prediction, outcome, "outcome", TEXT, OPTIONAL),
    {0},
};

const struct st_member st_tried_step_members[] = {
    MEMBER(st_tried_step, thread, "thread", TEXT, NEEDED),
    MEMBER(st_tried_step, op, "op", TEXT, NEEDED),
    MEMBER(st_tried_step, function, "function", TEXT, NEEDED),
    MEMBER(st_tried_step, loc, "loc", TEXT, NEEDED),
    {0},
};
