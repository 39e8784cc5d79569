/* Tells what the contexts of a trace say about its locations, to writers of reports.
 *
 *     struct st_known known = {.symbols = symbols};
 *     struct st_details details = {st_known_tell, &known};
 *     ...
 *     st_known_free(&known);
 */
#ifndef SERIATIM_REPORT_CONTEXT_DETAILS_H
#define SERIATIM_REPORT_CONTEXT_DETAILS_H

#include "report/report.h"

/* The lists are those of the last answer. All zero but the symbols is a start. */
struct st_known {
    const struct st_symbols *symbols;
    const char **stack, **locks;
    size_t stack_capacity, lock_capacity;
};

void st_known_tell(void *known, uint64_t loc, struct st_detail *detail);
void st_known_free(struct st_known *known);

#endif
