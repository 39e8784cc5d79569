/* Which findings are reported together, and which first.
 *
 * One event can cut several blocks of its thread, one inside the other. They are cut by the same
 * work of the same threads, so only the innermost is reported in full. And what was cut in the same
 * gap (struct st_block_gap) again and again, by whatever work, is reported once, with a count.
 *
 * Groups come in this order: new findings before known ones and those before suppressed ones; in a
 * hunt those that did more harm before those that did less; what is by design last; then by the
 * damage, those of which a hint can say what to repair first (report/triage/weight.h); then by the
 * rank of their blocks (report/triage/rank.h). Of what could be cut, the better proof comes first,
 * then where a block lets go of a lock that keeps others out (report/triage/held_locks.h): the rest
 * may be kept apart by an order that no lock shows. */
#ifndef SERIATIM_REPORT_TRIAGE_FINDING_GROUPS_H
#define SERIATIM_REPORT_TRIAGE_FINDING_GROUPS_H

#include "report/triage/rank.h"
#include "report/triage/triage.h"
#include "report/triage/weight.h"

/* ---- Violations ---- */

struct st_violation_group {
    const struct st_violation *violation; /* one of them, which stands for all: the first of those
                                           * that matter most */
    size_t rank;                          /* in the order of the groups, from 1; 0: it has none */
    enum st_damage damage;                /* report/triage/weight.h: of that one */
    bool direct;
    enum st_design design;
    const struct st_violation *callee;         /* ST_DESIGN_CALLS: a block that it calls and that is
                                                * cut on its own */
    const struct st_violation *const *members; /* one of each cut: the innermost block */
    size_t member_count;
    enum st_state state;    /* that all of them are in */
    size_t count;           /* how many are like it, itself included; 0: another stands for it */
    const uint32_t *around; /* names of blocks that were cut with one of them, each name once */
    size_t around_count;
    size_t process_count;           /* how many processes they are of; 0 where that is not known */
    const struct st_block_row *row; /* of its name; NULL: there is none */
};

struct st_violation_groups {
    struct st_block_row *rows; /* all names of blocks, in the order of their rank */
    size_t row_count;
    struct st_violation_group *items; /* of the same rank, by their events */
    size_t count;
    struct st_violation_group *by_violation; /* for each that is kept: the group that it stands for,
                                              * or one whose count is 0 */
    uint32_t *names;                         /* behind `around` */
    const struct st_violation **members;     /* behind those of the groups */
};

/* From the violations of a result that are kept; they must outlive the groups. */
struct st_violation_groups st_group_violations(const struct st_report *report,
                                               const struct st_result *result);
void st_violation_groups_free(struct st_violation_groups *groups);

/* ---- Predictions ---- */

/* Blocks that could be cut in the same gap. */
struct st_predicted_group {
    const struct st_predicted_block *block; /* the first of them */
    enum st_state state;
    size_t count; /* as above */
    const struct st_block_row *row;
    size_t rank; /* in the order of the groups, from 1; 0: it has none */
    bool let_go; /* report/triage/held_locks.h */
    enum st_damage damage;
    bool direct;
};

struct st_predicted_groups {
    struct st_block_row *rows;
    size_t row_count;
    struct st_predicted_group *items; /* those of the same importance by begin */
    size_t count;
    struct st_predicted_group *by_block; /* for each that is listed; one that is not reported has a
                                          * count of 0 */
};

struct st_predicted_groups st_group_predictions(const struct st_report *report,
                                                const struct st_prediction *prediction);
void st_predicted_groups_free(struct st_predicted_groups *groups);

/* Races between the same lines. */
struct st_race_group {
    const struct st_predicted_race *race; /* the first of them */
    size_t count;
};

/* In the order in which the first of each was found. Release with free(). */
struct st_race_group *st_group_races(const struct st_report *report,
                                     const struct st_prediction *prediction, size_t *count);

#endif
