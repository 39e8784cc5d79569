#include "symbol/memory/locals.h"

#include "symbol/data.h"
#include "symbol/memory/scopes.h"
#include "symbol/spelling.h"
#include "symbol/units.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 16, SAVED = 16 }; /* the return address and the frame pointer of the caller */

/* Numbers of registers in debug information. */
enum { DWARF_RBP = 6, DWARF_RSP = 7 };

struct search {
    int64_t size, offset;
    int64_t frame_base; /* above the stack pointer */
    struct st_label found;
    unsigned count;
    bool reserved; /* what was found has names of the library, of a function that was inlined */
};

/* Where an operation leads to, in bytes above the stack pointer. */
static bool place_of(const struct search *search, const Dwarf_Op *op, int64_t *place) {
    switch (op->atom) {
    case DW_OP_fbreg:
        *place = search->frame_base + (int64_t)op->number;
        return true;
    case DW_OP_breg0 + DWARF_RBP:
        *place = search->size - SAVED + (int64_t)op->number;
        return true;
    case DW_OP_breg0 + DWARF_RSP:
        *place = (int64_t)op->number;
        return true;
    case DW_OP_call_frame_cfa:
        *place = search->size;
        return true;
    default:
        return false;
    }
}

/* One that is in memory, always at the same place, as those are whose address is taken. */
static bool is_at(const struct search *search, Dwarf_Die *variable, int64_t *place) {
    Dwarf_Attribute attribute;
    Dwarf_Addr base, start, end;
    Dwarf_Op *ops;
    size_t count;
    ptrdiff_t position = 0;
    if (!dwarf_attr(variable, DW_AT_location, &attribute))
        return false;
    while ((position =
                dwarf_getlocations(&attribute, position, &base, &start, &end, &ops, &count)) > 0)
        if (count == 1 && place_of(search, &ops[0], place))
            return true;
    return false;
}

/* Names of the program say more than those of the library, which count if there are no others. */
static void add_name(struct search *search, const char *name, bool reserved) {
    if (search->count && reserved && !search->reserved)
        return;
    if (search->count && search->reserved && !reserved) {
        st_label_clear(&search->found);
        search->count = 0;
    }
    search->reserved = reserved;
    if (search->count++)
        st_label_adds(&search->found, "|");
    st_label_adds(&search->found, name);
}

static void look_at(struct search *search, Dwarf_Die *variable) {
    Dwarf_Die type;
    Dwarf_Word size;
    int64_t place;
    if (!is_at(search, variable, &place) || !st_type_of(variable, &type) ||
        dwarf_aggregate_size(&type, &size) != 0 || search->offset < place ||
        search->offset >= place + (int64_t)size)
        return;
    struct st_label name;
    Dwarf_Attribute attribute;
    const char *own = dwarf_formstring(dwarf_attr_integrate(variable, DW_AT_name, &attribute));
    if (!own)
        return;
    st_label_clear(&name);
    st_label_adds(&name, own);
    st_data_path(type, (uint64_t)(search->offset - place), &name);
    if (search->count && strstr(search->found.bytes, name.bytes))
        return;
    add_name(search, name.bytes, st_is_reserved(own));
}

static void look_in(struct search *search, Dwarf_Die *scope, int depth) {
    Dwarf_Die die;
    if (depth > DEEPEST || dwarf_child(scope, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
        case DW_TAG_formal_parameter:
            look_at(search, &die);
            break;
        case DW_TAG_lexical_block:
        case DW_TAG_inlined_subroutine:
            look_in(search, &die, depth + 1);
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* What offsets of variables are counted from. */
static bool find_frame_base(struct search *search, Dwarf_Die *function) {
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    if (!dwarf_attr(function, DW_AT_frame_base, &attribute) ||
        dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1)
        return false;
    if (ops[0].atom == DW_OP_reg0 + DWARF_RBP) { /* clang: the register itself */
        search->frame_base = search->size - SAVED;
        return true;
    }
    if (ops[0].atom == DW_OP_reg0 + DWARF_RSP) {
        search->frame_base = 0;
        return true;
    }
    return place_of(search, &ops[0], &search->frame_base);
}

bool st_local_name(struct st_modules *modules, uint64_t pc, uint64_t size, uint64_t offset,
                   char *buffer, size_t room) {
    enum { MOST_SHARED = 2 };
    struct search search = {.size = (int64_t)size, .offset = (int64_t)offset};
    struct st_scopes scopes;
    st_scopes_find(&scopes, modules, pc);
    st_label_clear(&search.found);
    if (!scopes.count || !find_frame_base(&search, &scopes.list[0]))
        return false;
    look_in(&search, &scopes.list[0], 0);
    if (!search.count || search.count > MOST_SHARED)
        return false;
    snprintf(buffer, room, "%s", search.found.bytes);
    return true;
}
