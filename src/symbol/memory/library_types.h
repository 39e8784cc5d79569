/* What users call the types in which the C++ library keeps their objects: nodes of containers, and
 * what std::make_shared makes. */
#ifndef SERIATIM_SYMBOL_MEMORY_LIBRARY_TYPES_H
#define SERIATIM_SYMBOL_MEMORY_LIBRARY_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

struct st_label;
struct st_units;

/* Writes what a user calls that type of memory: "std::map element", or the type of the object that
 * is allocated together with its reference count. False: it is no type of the library's. */
bool st_library_type_name(struct st_units *units, Dwarf_Die *type, struct st_label *name);

#endif
