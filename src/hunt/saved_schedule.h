/* A schedule as a file: JSON, with one deviation a line, that people can read and change.
 *
 *     {"schema": "seriatim-schedule/1",
 *      "program": ["./bank", "-n", "3"], "folder": "/home/me", "input": null, "client": null,
 *      "environment": {"OMP_NUM_THREADS": "4"},
 *      "spec": null, "relation": "data",
 *      "seed": 1, "run": 12, "strategy": "directed", "real_time": false, "every_access": false,
 *      "modules": [{"name": "bank", "build_id": "8c11..."}],
 *      "expected": {"outcome": "output", "status": 0, "keys": ["8f0e..."], "blocks": ["transfer"]},
 *      "sites": ["3f2a..."],
 *      "deviations": [
 *        {"kind": "preempt", "thread": "main.0", "clock": 17, "ordinal": 0, "next": "main.1",
 *         "function": "transfer", "loc": "bank.c:42", "count": 1, "site": "3f2a..."}]}
 *
 * A thread is named by its descent: main.0.2 is the third thread that the first one of main
 * created. Sites are names of places in the code (stream/control.h). A deviation is found by its
 * clock; in another build of the program by function, line and count. */
#ifndef SERIATIM_HUNT_SAVED_SCHEDULE_H
#define SERIATIM_HUNT_SAVED_SCHEDULE_H

#include "finding/observation.h"
#include "hunt/controlled/run_plan.h"
#include "hunt/controlled/run_description.h"
#include "trace/relation.h"

#define ST_SCHEDULE_SCHEMA "seriatim-schedule/1"

/* All texts of one that was read are those of its JSON. */
struct st_saved_schedule {
    json_t *json;
    char *text;         /* that it was read from */
    const char **words; /* of the program; ends with NULL */
    const char *folder, *input, *client, *spec, *strategy;
    enum st_relation relation;
    uint64_t seed, run;
    struct st_run_plan plan;
    const char **functions, **locs; /* of each deviation; NULL: not known */
    enum st_outcome outcome;
    int status;
    const char *printed, *usual; /* the first line that differs; or NULL */
    struct st_keys keys;
};

/* What is written, beside the plan: from the run, in full, that it was taken from. */
struct st_saved_schedule_facts {
    const char *const *words;
    const char *input, *client, *spec, *strategy;
    enum st_relation relation;
    uint64_t seed, run;
    enum st_outcome outcome;
    int status;
    const char *printed, *usual; /* the first line that differs; or NULL */
    const uint64_t *keys;        /* of the findings that it is kept for */
    size_t key_count;
    const char *const *blocks; /* their names */
};

int st_saved_schedule_write(const char *path, const struct st_saved_schedule_facts *facts,
                            const struct st_run_plan *plan, const struct st_control_log *log,
                            const struct st_description *described, struct st_error *error);

/* Release with st_saved_schedule_free, whatever the result. */
int st_saved_schedule_read(struct st_saved_schedule *schedule, const char *path,
                           struct st_error *error);
void st_saved_schedule_free(struct st_saved_schedule *schedule);

/* Sets the variables of the environment that were noted. */
void st_saved_schedule_apply_environment(const struct st_saved_schedule *schedule);

/* Is a program, which is found through PATH, the one that the schedule was made for? *module is the
 * name of one that was built anew, where that is so. */
enum st_same_program { ST_PROGRAM_SAME, ST_PROGRAM_REBUILT, ST_PROGRAM_OTHER };
enum st_same_program st_saved_schedule_compare(const struct st_saved_schedule *schedule,
                                               const char *program, const char **module);

#endif
