/* Filters a trace before it is analysed: blocks that a specification does not call atomic
 * disappear. Their begin and end become ST_UNMARKED; the events between them stay. */
#ifndef SERIATIM_SPEC_SELECT_H
#define SERIATIM_SPEC_SELECT_H

#include "spec/spec.h"
#include "trace/symbols.h"

struct st_selection;

/* How many begins are left. */
struct st_selected {
    uint64_t *executed; /* by block name; `executed_count` entries are valid */
    size_t executed_count, executed_capacity;
    uint64_t unnamed;
    uint64_t all; /* including unnamed ones */
};

/* Both outlive the selection. The symbols must hold the names of all events given to it. Without a
 * specification (NULL) all blocks are atomic. `starts`: even what threads start with, unless the
 * specification says otherwise. */
struct st_selection *st_selection_new(const struct st_spec *spec, const struct st_symbols *symbols,
                                      bool starts);
void st_selection_free(struct st_selection *selection);

/* Works on the validated events that follow those of the last call. */
void st_select(struct st_selection *selection, struct st_event *events, size_t count);

/* After the last event: counts the calls that have none. Only the first call does. */
void st_selection_count_silent(struct st_selection *selection);

const struct st_selected *st_selection_selected(const struct st_selection *selection);

#endif
