/* The members that the parts of a hunt have in JSON, in their order: one list, by which they are
 * written (report/json) and read again (report/load). */
#ifndef SERIATIM_REPORT_HUNT_MEMBERS_H
#define SERIATIM_REPORT_HUNT_MEMBERS_H

#include <stddef.h>

enum st_member_type {
    ST_MEMBER_TEXT,
    ST_MEMBER_TEXTS, /* ends with NULL */
    ST_MEMBER_NUMBER,
    ST_MEMBER_BOOL,
    ST_MEMBER_OUTCOME,
};

enum st_member_need {
    ST_MEMBER_NEEDED,
    ST_MEMBER_OPTIONAL, /* a text that is NULL is written as null; a reader misses nothing */
    ST_MEMBER_LEFT_OUT, /* where it is NULL */
};

/* Where it is in its struct, by offsetof. Lists end with one that has no key. */
struct st_member {
    const char *key;
    size_t offset;
    enum st_member_type type;
    enum st_member_need need;
};

extern const struct st_member st_hunt_members[];         /* of struct st_hunt_facts */
extern const struct st_member st_observation_members[];  /* of struct st_observation */
extern const struct st_member st_course_members[];       /* of struct st_course_step */
extern const struct st_member st_failure_members[];      /* of struct st_failure */
extern const struct st_member st_stuck_members[];        /* of struct st_stuck_thread */
extern const struct st_member st_tried_members[];        /* of struct st_tried_prediction */
extern const struct st_member st_confirmation_members[]; /* of the same, if it was confirmed */
extern const struct st_member st_tried_step_members[];   /* of struct st_tried_step */

#endif
