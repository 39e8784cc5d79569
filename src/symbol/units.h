/* The units of a file's debug information, made searchable.
 *
 * libdw can look up an address only through .debug_aranges, which clang does not write, and finds
 * what encloses an entry only by reading its unit from the start. So we read the ranges of all
 * units once, and the functions of a unit, with the scopes they are declared in, when one of them
 * is first asked for.
 *
 * All addresses here are those of the debug information. Entries (DIEs) are identified by their
 * address in libdw's memory, which works across units and separate files. Damaged information
 * gives fewer answers; each unit is walked in the order of its bytes, so the walk always ends.
 */
#ifndef SERIATIM_SYMBOL_UNITS_H
#define SERIATIM_SYMBOL_UNITS_H

#include "symbol/label.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct st_units;

/* The debug information must outlive the units. Its addresses plus `bias` are those of the file. */
struct st_units *st_units_new(Dwarf *dwarf, uint64_t bias);
void st_units_free(struct st_units *units);

/* How often units were freed: what is known by addresses in libdw's memory is void after that. */
uint64_t st_units_freed(void);
uint64_t st_units_bias(const struct st_units *units);

/* The unit that holds the address, as its entry. */
bool st_unit_at(struct st_units *units, uint64_t address, Dwarf_Die *unit);

/* The function in that unit that holds the address. */
bool st_function_at(struct st_units *units, const Dwarf_Die *unit, uint64_t address,
                    Dwarf_Die *function);

/* The variable that holds the address, and how far into it the address is. The first call reads
 * all units. */
bool st_variable_at(struct st_units *units, uint64_t address, Dwarf_Die *variable,
                    uint64_t *offset);

/* Appends the qualified name of a function, variable, class or namespace. Returns false and
 * appends nothing if it has none. */
bool st_qualified_name(struct st_units *units, Dwarf_Die *die, struct st_label *text);

/* The type of a variable or member, without const, volatile and typedef. */
bool st_type_of(Dwarf_Die *die, Dwarf_Die *type);

#endif
