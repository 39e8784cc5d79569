/* The parts of which the JSON of results is made, whatever was looked for. Each writes a member of
 * the object that is open, key and value, unless it is said to write a value. */
#ifndef SERIATIM_REPORT_JSON_JSON_PARTS_H
#define SERIATIM_REPORT_JSON_JSON_PARTS_H

#include "base/json.h"
#include "report/story/story.h"
#include "report/triage/triage.h"

/* null for 0: no event has that number. */
void st_write_event_number(struct st_json *json, const char *key, uint64_t event);

void st_write_trace(const struct st_report *report, struct st_json *json);
void st_write_repairs(const struct st_repairs *repairs, struct st_json *json);

/* Values: an event, a dependence, a list of them. `ends` may be NULL: then nobody asks for the
 * transactions. */
void st_write_place(const struct st_report *report, const struct st_place *place,
                    struct st_json *json);
void st_write_edge(const struct st_report *report, const struct st_edge *edge,
                   const struct st_ends *ends, struct st_json *json);
void st_write_edges(const struct st_report *report, const struct st_edge *edges,
                    const struct st_ends *ends, size_t count, struct st_json *json);

/* Members: "path", and how many of its dependences a page leaves out. */
void st_write_path(const struct st_report *report, const struct st_edge *path, size_t length,
                   struct st_json *json);

/* A value: what a finding says. */
void st_write_story(const struct st_story *story, struct st_json *json);

/* Members: how a hunt saw a finding, and what it adds to a result; nothing where there was none. */
void st_write_observation(const struct st_observation *observation, struct st_json *json);
void st_write_hunt(const struct st_report *report, struct st_json *json);

/* What is to become of a finding; `prefix` goes before the names of the fields. Nothing where
 * nobody asked. */
void st_write_mark(const struct st_report *report, struct st_mark mark, const char *prefix,
                   struct st_json *json);

/* How many findings are in each state, and the files that say so. */
void st_write_states(const struct st_marks *marks, struct st_json *json);
void st_write_triage(const struct st_report *report, struct st_json *json);

/* "cause": what the finding is recognised by, beside its fingerprint. */
void st_write_gap(const struct st_block_gap *gap, struct st_json *json);

#endif
