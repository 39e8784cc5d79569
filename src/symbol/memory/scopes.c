#include "symbol/memory/scopes.h"

#include "symbol/units.h"

#include <dwarf.h>

static bool is_scope(Dwarf_Die *die) {
    int tag = dwarf_tag(die);
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

/* The scope directly inside of `parent` that holds the address. */
static bool find_inner(Dwarf_Die *parent, uint64_t address, Dwarf_Die *found) {
    Dwarf_Die die;
    if (dwarf_child(parent, &die) != 0)
        return false;
    do {
        if (is_scope(&die) && dwarf_haspc(&die, address) > 0) {
            *found = die;
            return true;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

void st_scopes_find(struct st_scopes *scopes, struct st_modules *modules, uint64_t pc) {
    uint64_t bias = 0;
    scopes->count = 0;
    scopes->object = st_object_behind(modules, pc - 1, &bias);
    if (!scopes->object || !scopes->object->units)
        return;
    struct st_units *units = scopes->object->units;
    uint64_t address = pc - 1 - bias - st_units_bias(units);
    if (!st_unit_at(units, address, &scopes->unit) ||
        !st_function_at(units, &scopes->unit, address, &scopes->list[0]))
        return;
    scopes->count = 1;
    while (scopes->count < ST_MOST_SCOPES &&
           find_inner(&scopes->list[scopes->count - 1], address, &scopes->list[scopes->count]))
        scopes->count++;
}

bool st_scopes_frame(struct st_scopes *scopes, size_t depth, Dwarf_Die *function) {
    for (size_t i = scopes->count; i-- > 0;) {
        if (dwarf_tag(&scopes->list[i]) == DW_TAG_lexical_block)
            continue;
        if (depth-- == 0) {
            *function = scopes->list[i];
            return true;
        }
    }
    return false;
}

/* ---- pointers ---- */

static bool pointer_of(Dwarf_Die *die, Dwarf_Die *pointer) {
    return st_type_of(die, pointer) && dwarf_tag(pointer) == DW_TAG_pointer_type;
}

bool st_pointee_of(Dwarf_Die *die, Dwarf_Die *pointee) {
    Dwarf_Die pointer;
    Dwarf_Attribute attribute;
    return pointer_of(die, &pointer) && dwarf_attr(&pointer, DW_AT_type, &attribute) &&
           dwarf_formref_die(&attribute, pointee);
}

bool st_is_untyped_pointer(Dwarf_Die *die) {
    Dwarf_Die pointer, pointee;
    if (!pointer_of(die, &pointer))
        return false;
    return !st_pointee_of(die, &pointee) || dwarf_peel_type(&pointee, &pointee) != 0;
}
