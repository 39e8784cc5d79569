/* What kind of thing allocated memory is, from the place where it was allocated.
 *
 * Debug information does not say what a call of malloc is for. But the pointer goes into a variable
 * that is in scope there, or is returned, and the line of the source names that variable or the
 * type: `item *it = malloc(sizeof *it)`, `return new Account(...)`. A type counts if the line
 * mentions it, or it is the only one in scope whose size is exactly that of the memory. If two
 * different types would do, there is no answer: a wrong name is worse than none. */
#ifndef SERIATIM_SYMBOL_MEMORY_HEAP_TYPES_H
#define SERIATIM_SYMBOL_MEMORY_HEAP_TYPES_H

#include "symbol/label.h"
#include "symbol/symbol.h"

#include <elfutils/libdw.h>

struct st_units;
struct st_heap_site;

/* Up to so many lines of a source file from line `first` on, with a blank before them, and none
 * behind the one with the first semicolon. NULL: it cannot be read. Release with free(). */
char *st_read_lines(const char *base, const char *path, unsigned first, unsigned lines);

/* The name of a type as it is written, which may be that of a typedef. */
bool st_type_name(struct st_units *units, Dwarf_Die type, struct st_label *name);

/* What can be allocated by the call that returns to `pc`, in frame `depth` there, that of the user
 * (st_frames); `inner`: the call by which the library or an allocator got the memory, which may be
 * the same. `base` is as for st_modules_new. Release with st_heap_site_free. */
struct st_heap_site *st_heap_site_new(struct st_modules *modules, const char *base, uint64_t pc,
                                      size_t depth, uint64_t inner);
void st_heap_site_free(struct st_heap_site *site);

/* Is it known what is in memory of that size which was allocated there? Bytes are anything. */
bool st_heap_is_typed(const struct st_heap_site *site, uint64_t size);

/* The size of the structure that memory which comes by the call is for, if nobody says how much it
 * is: the line assigns it to a pointer to one, or names one, and no other. 0: it is not known. */
uint64_t st_heap_assigned_size(const struct st_heap_site *site);

/* How a name says in which element of an array something is: the size of the elements, 0 if it is
 * in none, and where in the name their number begins. */
struct st_heap_array {
    uint64_t element;
    size_t number_at;
};

/* Writes the name of a byte of memory of that size which was allocated there: "item->refcount",
 * "account[3].balance", "*total". False if the type is not known. */
bool st_heap_name(const struct st_heap_site *site, uint64_t size, uint64_t offset,
                  struct st_heap_array *array, char *buffer, size_t room);

#endif
