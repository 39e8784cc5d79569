/* The course of a run: what a person would say of its schedule, as data, from the log of points.
 *
 * Steps, in order, from the first deviation on:
 *
 *     {"thread": "T1", "does": "stops", "function": "transfer", "loc": "bank.c:42"}
 *     {"thread": "T2", "does": "runs", "blocks": ["audit"], "until": "block"}
 *     {"thread": "T1", "does": "goes on"}
 *     {"more": 12}                                  so many steps are left out
 *     {"more": 12, "alike": true}                   and they repeat those before
 *
 * "until" is where a thread came to before another one went on: "end" of the thread, "block" (the
 * end of the last of its blocks), "wait" (it waits, at "loc", for what "for" says), or "switch"
 * (it is stopped, which the next step says). */
#ifndef SERIATIM_HUNT_CONTROLLED_COURSE_H
#define SERIATIM_HUNT_CONTROLLED_COURSE_H

#include "stream/control.h"

#include <jansson.h>
#include <stdbool.h>

struct st_places;

/* The address that the site had in the run, by the modules in the log; 0: not known. */
uint64_t st_site_address(const struct st_control_log *log, uint64_t site);

/* Sets "function" and "loc" of the object, as far as they are known. False if they are not in the
 * user's own code. */
bool st_name_site(json_t *object, struct st_places *places, const struct st_control_log *log,
                  uint64_t site);

/* "lock", "condition", ...: what a thread at a point of this kind can wait for. */
const char *st_awaited(uint16_t kind);

json_t *st_course(const struct st_control_log *log, struct st_places *places);

#endif
