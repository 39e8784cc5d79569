#include "symbol/memory/allocators.h"

#include "symbol/memory/scopes.h"
#include "symbol/units.h"

#include <dwarf.h>
#include <string.h>
#include <strings.h>

/* Behind the last "::", but for those in template arguments. */
static const char *last_component(const char *function) {
    const char *start = function;
    for (const char *at = function; *at && *at != '<'; at++)
        if (at[0] == ':' && at[1] == ':')
            start = at + 2;
    return start;
}

static bool contains(const char *text, const char *word) {
    for (size_t length = strlen(word); *text; text++)
        if (strncasecmp(text, word, length) == 0)
            return true;
    return false;
}

bool st_is_allocator_name(const char *function) {
    static const char *const words[] = {"alloc", "strdup", "strndup", "memdup", "asprintf"};
    const char *name = last_component(function);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (contains(name, words[i]))
            return true;
    return strncmp(name, "operator new", 12) == 0;
}

static bool is_integer(Dwarf_Die *variable) {
    Dwarf_Die type;
    Dwarf_Attribute attribute;
    Dwarf_Word encoding;
    if (!st_type_of(variable, &type) || dwarf_tag(&type) != DW_TAG_base_type ||
        dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding) != 0)
        return false;
    return encoding == DW_ATE_signed || encoding == DW_ATE_unsigned;
}

/* A `void **`, through which memory is returned. */
static bool is_result(Dwarf_Die *variable) {
    Dwarf_Die type;
    return st_pointee_of(variable, &type) && dwarf_peel_type(&type, &type) == 0 &&
           dwarf_tag(&type) == DW_TAG_pointer_type && !dwarf_hasattr(&type, DW_AT_type);
}

static bool has_parameter(Dwarf_Die *function, bool (*is_wanted)(Dwarf_Die *variable)) {
    Dwarf_Die die;
    if (dwarf_child(function, &die) != 0)
        return false;
    do {
        if (dwarf_tag(&die) == DW_TAG_formal_parameter && is_wanted(&die))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

static bool returns_bytes(Dwarf_Die *function) {
    Dwarf_Die type;
    Dwarf_Word size;
    return st_pointee_of(function, &type) && dwarf_peel_type(&type, &type) == 0 &&
           dwarf_tag(&type) == DW_TAG_base_type && dwarf_aggregate_size(&type, &size) == 0 &&
           size == 1;
}

bool st_is_allocator(struct st_modules *modules, uint64_t pc, size_t depth) {
    size_t count;
    const struct st_frame *frames = st_frames(modules, pc, &count);
    bool named = depth < count && st_is_allocator_name(frames[depth].function);
    struct st_scopes scopes;
    Dwarf_Die function;
    st_scopes_find(&scopes, modules, pc);
    if (!st_scopes_frame(&scopes, depth, &function))
        return named;
    if (st_is_untyped_pointer(&function)) /* a thread function is given no size */
        return named || has_parameter(&function, is_integer);
    return named && (returns_bytes(&function) || has_parameter(&function, is_result));
}
