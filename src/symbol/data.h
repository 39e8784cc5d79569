/* From an address in data to the name of a variable. */
#ifndef SERIATIM_SYMBOL_DATA_H
#define SERIATIM_SYMBOL_DATA_H

#include "symbol/object.h"

/* Appends the name of what is at an address of the file. Returns false and appends nothing if
 * neither the debug information nor the symbols know it. The object must be open. */
bool st_data_in(struct st_object *object, uint64_t address, struct st_label *text,
                enum st_data_kind *kind);

#endif
