/* Which functions hand out memory to their callers: xmalloc, g_malloc, Arena::Allocate. */
#ifndef SERIATIM_SYMBOL_MEMORY_ALLOCATORS_H
#define SERIATIM_SYMBOL_MEMORY_ALLOCATORS_H

#include "symbol/symbol.h"

/* Is frame `depth` of st_frames that of such a function? With debug information: it returns memory
 * without a type (void *), and is given a size; or its name says so, and it returns void * or
 * char *. Without: its name says so. One that returns a pointer to a structure makes such
 * structures, and is what memory should be named after. */
bool st_is_allocator(struct st_modules *modules, uint64_t pc, size_t depth);

/* Does the name of a function say that it allocates memory of any kind? */
bool st_is_allocator_name(const char *function);

#endif
