/* Variables of `witness` that nobody has accessed for a while, packed.
 *
 * A program fills its memory from one end to the other, by the same line and in the same block, and
 * then hardly two of these accesses differ in more than the number of the event. A cache line for
 * each variable would be eight times the memory of the program. So variables are in pages, and of
 * the pages that were opened longest ago, in excess of a limit, each is packed until it is accessed
 * again: accesses that can no longer matter are dropped, and those that differ in nothing but their
 * numbers are kept once. */
#ifndef SERIATIM_CHECK_WITNESS_STATE_PAGES_H
#define SERIATIM_CHECK_WITNESS_STATE_PAGES_H

#include "check/witness/variable_state.h"

/* NULL: some variable has several readers, or too much differs. *empty: nothing that matters is
 * left, and there is nothing to pack. */
struct st_packed_page *st_page_pack(const struct st_variable_state *variables, const uint64_t *live,
                                    bool *empty);

/* Into variables that are all zero. */
void st_page_unpack(const struct st_packed_page *page, struct st_variable_state *variables);

size_t st_packed_page_memory(const struct st_packed_page *page);

void st_packed_page_free(struct st_packed_page *page);

#endif
