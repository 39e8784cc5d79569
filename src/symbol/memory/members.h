/* Which member of a structure an access is to, from the line of the source that makes it.
 *
 * An allocator of the program's own cuts objects out of memory that it got at once, and nothing
 * says which kind of object is where. But who uses one says so: in `item->refcount++`, debug
 * information knows the type of `item`. A member counts if the line has it behind a pointer, and if
 * it has the size of the access. If two different ones would do, there is no answer. */
#ifndef SERIATIM_SYMBOL_MEMORY_MEMBERS_H
#define SERIATIM_SYMBOL_MEMORY_MEMBERS_H

#include "symbol/symbol.h"

/* In place of the size of an access: a lock is acquired there, one with a type of the library. */
#define ST_ANY_LOCK UINT64_C(0)

/* Writes the member that the access of `size` bytes by the call that returns to `pc` is to:
 * "item->refcount"; or what is `shift` bytes behind that. Looks at the functions that are inlined
 * there, too. `base` is as for st_modules_new. False if it is not known. */
bool st_member_name(struct st_modules *modules, const char *base, uint64_t pc, uint64_t size,
                    int64_t shift, char *buffer, size_t room);

#endif
