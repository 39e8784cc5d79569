/* The scopes around a place in the code: the function, blocks in it, and functions that were
 * inlined there. */
#ifndef SERIATIM_SYMBOL_MEMORY_SCOPES_H
#define SERIATIM_SYMBOL_MEMORY_SCOPES_H

#include "symbol/object.h"

#include <elfutils/libdw.h>

enum { ST_MOST_SCOPES = 64 };

/* From the function that physically holds the place, inwards. Invariant: count is 0 where nothing
 * is known, and otherwise list[0] is that function, and the unit is the one that it is in. */
struct st_scopes {
    struct st_object *object;
    Dwarf_Die unit;
    Dwarf_Die list[ST_MOST_SCOPES];
    size_t count;
};

/* The scopes around the call that returns to `pc`, in a program that ran. */
void st_scopes_find(struct st_scopes *scopes, struct st_modules *modules, uint64_t pc);

/* Frame `depth` of st_frames, as its entry; false when there is none. */
bool st_scopes_frame(struct st_scopes *scopes, size_t depth, Dwarf_Die *function);

/* The type that a pointer points to, as it is written, with its typedefs; false if it is no pointer
 * or one to void. `die`: a variable, or a function that returns it. */
bool st_pointee_of(Dwarf_Die *die, Dwarf_Die *pointee);

/* Is the type of the variable, or what the function returns, a pointer to void? */
bool st_is_untyped_pointer(Dwarf_Die *die);

#endif
