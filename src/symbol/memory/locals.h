/* Local variables of a function that is open, by where they are in its frame. */
#ifndef SERIATIM_SYMBOL_MEMORY_LOCALS_H
#define SERIATIM_SYMBOL_MEMORY_LOCALS_H

#include "symbol/symbol.h"

/* Writes the name of what is `offset` bytes above the stack pointer of the function that holds the
 * call which returns to `pc`: "pool.jobs". Its frame has `size` bytes, up to and with its return
 * address. False if there is no variable that we know of. Two variables of different blocks that
 * share their place are both named: "i|sum". */
bool st_local_name(struct st_modules *modules, uint64_t pc, uint64_t size, uint64_t offset,
                   char *buffer, size_t room);

#endif
