/* What the contexts of a trace say about its locations, for writers of reports.
 *
 *     struct st_context_details contexts = {.symbols = symbols};
 *     struct st_details details = {st_context_details_lookup, &contexts};
 *     ...
 *     st_context_details_free(&contexts);
 */
#ifndef SERIATIM_REPORT_CONTEXT_DETAILS_H
#define SERIATIM_REPORT_CONTEXT_DETAILS_H

#include "report/report.h"

/* The lists are those of the last answer. All zero but the symbols is a start. */
struct st_context_details {
    const struct st_symbols *symbols;
    const char **stack, **locks;
    uint32_t *acquired;
    size_t stack_capacity, lock_capacity, acquired_capacity;
};

void st_context_details_lookup(void *contexts, uint64_t loc, struct st_detail *detail);
void st_context_details_free(struct st_context_details *contexts);

#endif
