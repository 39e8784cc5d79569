/* What kind of thing allocated memory is, from the place where it was allocated.
 *
 * Debug information does not say what a call of malloc is for. But the pointer goes into a variable
 * that is in scope there, or is returned, and the line of the source names that variable or the
 * type: `item *it = malloc(sizeof *it)`, `return new Account(...)`. A type counts if the line
 * mentions it, or it is the only one in scope whose size is exactly that of the memory. If two
 * different types would do, there is no answer: a wrong name is worse than none. */
#ifndef SERIATIM_SYMBOL_MEMORY_HEAP_TYPES_H
#define SERIATIM_SYMBOL_MEMORY_HEAP_TYPES_H

#include "symbol/symbol.h"

struct st_heap_site;

/* What can be allocated by the call that returns to `pc`, in frame `depth` there, that of the user
 * (st_frames); `inner`: the call by which the library or an allocator got the memory, which may be
 * the same. `base` is as for st_modules_new. Release with st_heap_site_free. */
struct st_heap_site *st_heap_site_new(struct st_modules *modules, const char *base, uint64_t pc,
                                      size_t depth, uint64_t inner);
void st_heap_site_free(struct st_heap_site *site);

/* Writes the name of a byte of memory of that size which was allocated there: "item->refcount",
 * "account[3].balance", "*total". False if the type is not known. */
bool st_heap_name(const struct st_heap_site *site, uint64_t size, uint64_t offset, char *buffer,
                  size_t room);

#endif
