/* From an address in data to the name of a variable. */
#ifndef SERIATIM_SYMBOL_DATA_H
#define SERIATIM_SYMBOL_DATA_H

#include "symbol/object.h"

#include <elfutils/libdw.h>

/* Appends the name of what is at an address of the file. Returns false and appends nothing if
 * neither the debug information nor the symbols know it. The object must be open. */
bool st_data_in(struct st_object *object, uint64_t address, struct st_label *text,
                enum st_data_kind *kind);

/* Appends what leads from the start of a value of the type, without const, volatile and typedef, to
 * the byte at the offset: ".lock", "[3].balance", "+0x2"; nothing for its first byte if it has no
 * parts. */
void st_data_path(Dwarf_Die type, uint64_t offset, struct st_label *text);

/* The first type that a template was given, as it is declared. */
bool st_template_argument(Dwarf_Die *type, Dwarf_Die *argument);

#endif
