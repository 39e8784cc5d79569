/* The machine code of a file: its bytes, its functions, and what its calls call. */
#ifndef SERIATIM_SYMBOL_CODE_CODE_BYTES_H
#define SERIATIM_SYMBOL_CODE_CODE_BYTES_H

#include "symbol/machine/instruction.h"
#include "symbol/object.h"

/* The bytes from the address on, `left` of them in its section; NULL if there is no code. Addresses
 * are those of the file, which must be open. */
const unsigned char *st_code_bytes(struct st_object *object, uint64_t address, size_t *left);

/* The function that holds the address, by the symbol table: [low, high), and its name as the linker
 * knows it. False if there is none. */
bool st_code_function(struct st_object *object, uint64_t address, uint64_t *low, uint64_t *high,
                      const char **name);

/* The next function of the symbol table, beginning with *number = 0: its name as the linker knows
 * it; NULL behind the last. */
const char *st_code_next_function(struct st_object *object, int *number, uint64_t *low,
                                  uint64_t *high);

/* The part of the function that a compiler moved away because it is rarely used. */
bool st_code_cold_part(struct st_object *object, const char *function, uint64_t *low,
                       uint64_t *high);

/* What an instruction calls: its name as the linker knows it, or NULL; and its address, or 0 if it
 * is not in this file. */
struct st_callee {
    const char *name;
    uint64_t address;
};
struct st_callee st_code_callee(struct st_object *object, const struct st_instruction *call);

/* Names of functions that belong together begin alike. */
bool st_begins_with(const char *name, const char *start);

#endif
