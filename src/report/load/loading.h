/* Taking the parts of a saved result out of its JSON, whatever was looked for: names, events and
 * dependences. What is wrong with them is kept by the fields. */
#ifndef SERIATIM_REPORT_LOAD_LOADING_H
#define SERIATIM_REPORT_LOAD_LOADING_H

#include "report/load/fields.h"
#include "report/report.h"
#include "report/triage/triage.h"

/* What is known of a location beyond its name. The texts are those of the JSON. */
struct st_loaded_context {
    const char *function;
    const char **stack, **locks; /* each ends with NULL */
    bool locks_unknown;
};

/* Invariant: the location with number i has the key i and the contexts[i]; locations of the same
 * name and different contexts are different. */
struct st_loading {
    struct st_fields fields;
    struct st_symbols symbols;
    struct st_names keys;
    struct st_loaded_context *contexts;
    size_t context_capacity;
    /* The program whose findings are read, or NULL. Block number i has the i-th key, of its program
     * and its name, and is of the program block_programs[i]. */
    const char *program;
    struct st_names block_keys;
    const char **block_programs;
    size_t block_capacity;
    bool has_details;
};

/* The fields are opened by the caller, and closed here. */
void st_loading_init(struct st_loading *loading);
void st_loading_free(struct st_loading *loading);

/* What is known of a location; `loading` is a struct st_loading. */
void st_loading_lookup(void *loading, uint64_t loc, struct st_detail *detail);

/* Numbers for names. A block without one is ST_NO_NAME. */
uint32_t st_load_thread(struct st_loading *loading, const char *text);
uint32_t st_load_variable(struct st_loading *loading, const char *text);
uint32_t st_load_block(struct st_loading *loading, const char *text);
uint64_t st_load_location(struct st_loading *loading, const char *loc);

/* A member of an object. Events are numbered from 1. */
uint64_t st_load_event_number(struct st_fields *fields, const json_t *object, const char *key);
struct st_place st_load_place(struct st_loading *loading, const json_t *object, const char *key);

/* An object, and an array of them; NULL when it is empty. The caller is inside of it. */
struct st_edge st_load_edge(struct st_loading *loading, const json_t *object);
struct st_edge *st_load_edges(struct st_loading *loading, const json_t *array);

/* The events in an array, inside of which the caller is; NULL when it is empty. */
struct st_place *st_load_places(struct st_loading *loading, const json_t *array);

/* The cause of a finding, which results before version 2 of fingerprints lack: NULL then. Release
 * with st_block_gap_free. */
struct st_block_gap *st_load_gap(struct st_fields *fields, const json_t *object);

/* A member that is a fingerprint. */
struct st_fingerprint st_load_fingerprint(struct st_fields *fields, const json_t *object,
                                          const char *key);

/* The predictions of a saved result, by load_predict.c. `predictions` are empty; release them
 * whatever the fields say. */
void st_load_predictions(struct st_loading *loading, const json_t *root,
                         struct st_predictions *predictions);

/* Which of its findings are new, by load_triage.c; the result must be good otherwise. `list` is the
 * key of the findings: "violations", or "blocks", of which only those have a state that are
 * reported. False when nobody asked at that time; in any case *triage is to be released with
 * st_triage_free. */
bool st_triage_read(struct st_fields *fields, const char *list, struct st_triage *triage);

#endif
