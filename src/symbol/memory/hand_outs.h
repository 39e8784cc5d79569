/* Functions that hand out memory, as machine code: where they hold what is wanted and what they
 * return.
 *
 * Compilers put a call at the beginning and one at the end of each function, for ThreadSanitizer.
 * During the first one a function still has its arguments, and during the last one it has what it
 * returns. */
#ifndef SERIATIM_SYMBOL_MEMORY_HAND_OUTS_H
#define SERIATIM_SYMBOL_MEMORY_HAND_OUTS_H

#include "symbol/code/kept_values.h"

/* A place in such a function: the call returns to `site`, an address of the program. */
struct st_hand_out {
    uint64_t site;
    bool enters; /* it is the first one, and the value is how much is wanted, in `bytes` bytes */
    unsigned bytes;
    uint32_t size; /* of the last one: how much it hands out, if that is always the same; or 0 */
    struct st_kept_value kept;
};

/* Does the function of this name hand out memory, because the user says so? */
typedef bool st_named_allocator(void *context, const char *function);
typedef void st_found_hand_out(void *context, const struct st_hand_out *found);

/* Finds them in the module at the address: functions that the user has named, and those that are
 * named like allocators and return memory without a type (allocators.h). */
struct st_hand_out_search {
    st_named_allocator *named; /* or NULL */
    st_found_hand_out *found;
    void *context;
};
void st_hand_outs_find(struct st_modules *modules, uint64_t address,
                       const struct st_hand_out_search *search);

#endif
