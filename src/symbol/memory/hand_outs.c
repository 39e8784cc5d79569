#define _GNU_SOURCE
#include "symbol/memory/hand_outs.h"

#include "symbol/code/code_bytes.h"
#include "symbol/memory/allocators.h"
#include "symbol/memory/scopes.h"
#include "symbol/units.h"

#include <dwarf.h>
#include <string.h>

/* Arguments in registers. */
enum { MOST_ARGUMENTS = 6 };

/* ---- which argument is the size ---- */

/* A parameter that may be it. */
struct size_parameter {
    unsigned argument, bytes;
    unsigned worth; /* 2: its name says so, 1: its type does; 0: there is none */
    bool doubtful;  /* or there are several */
};

static bool says_size(const char *name) {
    static const char *const words[] = {"size", "bytes", "len", "sz", NULL};
    for (const char *const *word = words; *word; word++)
        if (strcasestr(name, *word))
            return true;
    return strcmp(name, "n") == 0;
}

/* How many of them: then the size is not all. */
static bool says_count(const char *name) {
    static const char *const words[] = {"count", "num", "nmemb", "nelem", NULL};
    for (const char *const *word = words; *word; word++)
        if (strcasestr(name, *word))
            return true;
    return false;
}

static bool has_type_of_sizes(Dwarf_Die *parameter) {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    return dwarf_attr_integrate(parameter, DW_AT_type, &attribute) &&
           dwarf_formref_die(&attribute, &type) && dwarf_diename(&type) &&
           strcmp(dwarf_diename(&type), "size_t") == 0;
}

static void consider(struct size_parameter *best, Dwarf_Die *parameter, unsigned argument,
                     unsigned bytes) {
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(parameter, DW_AT_name, &attribute));
    if (name && says_count(name))
        best->worth = 3; /* more than any other */
    unsigned worth = name && says_size(name) ? 2 : has_type_of_sizes(parameter);
    if (!worth || worth < best->worth)
        return;
    best->doubtful = worth == best->worth;
    best->argument = argument;
    best->bytes = bytes;
    best->worth = worth;
}

/* An integer, or what is passed like one; false: nobody knows which registers the rest are in. */
static bool look_at_parameter(struct size_parameter *best, Dwarf_Die *parameter,
                              unsigned *argument) {
    Dwarf_Die type;
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0, size = 8;
    if (!st_type_of(parameter, &type))
        return false;
    int tag = dwarf_tag(&type);
    if (tag == DW_TAG_base_type) {
        dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding);
        if (encoding == DW_ATE_float)
            return true;
        if (dwarf_aggregate_size(&type, &size) != 0 || size > 8)
            return false;
        if (encoding == DW_ATE_signed || encoding == DW_ATE_unsigned)
            consider(best, parameter, *argument, (unsigned)size);
    } else if (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type &&
               tag != DW_TAG_enumeration_type) {
        return false;
    }
    return ++*argument < MOST_ARGUMENTS;
}

static bool find_size(Dwarf_Die *function, struct size_parameter *best) {
    Dwarf_Die die;
    unsigned argument = 0;
    *best = (struct size_parameter){.worth = 0};
    if (dwarf_child(function, &die) != 0)
        return false;
    do {
        if (dwarf_tag(&die) == DW_TAG_formal_parameter && !look_at_parameter(best, &die, &argument))
            break;
    } while (dwarf_siblingof(&die, &die) == 0);
    return (best->worth == 1 || best->worth == 2) && !best->doubtful;
}

/* ---- functions ---- */

struct finding {
    struct st_modules *modules;
    struct st_object *object;
    uint64_t bias;
    const struct st_hand_out_search *search;
};

static void put(const struct finding *f, struct st_hand_out found) {
    found.site += f->bias;
    f->search->found(f->search->context, &found);
}

static void find_entry(const struct finding *f, uint64_t low) {
    struct st_scopes scopes;
    struct size_parameter size;
    struct st_hand_out found = {.enters = true};
    st_scopes_find(&scopes, f->modules, low + f->bias + 1);
    if (!scopes.count || !find_size(&scopes.list[0], &size))
        return;
    found.bytes = size.bytes;
    if (st_kept_argument(f->object, low, "__tsan_func_entry", size.argument, &found.site,
                         &found.kept))
        put(f, found);
}

/* One that the user has named may return a pointer to a structure. */
static uint32_t fixed_size(const struct finding *f, uint64_t low) {
    struct st_scopes scopes;
    Dwarf_Die type;
    Dwarf_Word size;
    st_scopes_find(&scopes, f->modules, low + f->bias + 1);
    if (!scopes.count || !st_pointee_of(&scopes.list[0], &type) ||
        dwarf_peel_type(&type, &type) != 0 ||
        (dwarf_tag(&type) != DW_TAG_structure_type && dwarf_tag(&type) != DW_TAG_class_type) ||
        dwarf_aggregate_size(&type, &size) != 0)
        return 0;
    return (uint32_t)size;
}

static void find_exits(const struct finding *f, uint64_t low, uint64_t high, uint32_t size) {
    struct st_instruction i;
    size_t left;
    const unsigned char *bytes;
    for (; low < high; low += i.length) {
        bytes = st_code_bytes(f->object, low, &left);
        if (!bytes || !st_instruction_read(bytes, left, low, &i))
            return;
        const char *callee = i.flow == ST_FLOW_CALL || i.flow == ST_FLOW_CALL_SLOT
                                 ? st_code_callee(f->object, &i).name
                                 : NULL;
        struct st_hand_out found = {.site = low + i.length, .size = size};
        if (callee && strcmp(callee, "__tsan_func_exit") == 0 &&
            st_kept_result(f->object, found.site, &found.kept))
            put(f, found);
    }
}

/* Of a class, as the linker knows it. */
static bool is_operator_new(const char *symbol) {
    return strncmp(symbol, "_Z", 2) == 0 && (strstr(symbol, "nwEm") || strstr(symbol, "naEm"));
}

/* Debug information is read only for functions whose names are like those of allocators. */
static bool hands_out(const struct finding *f, const char *symbol, uint64_t low) {
    uint64_t pc = low + f->bias + 1;
    if (f->search->named && f->search->named(f->search->context, st_function(f->modules, pc)->name))
        return true;
    if (!strcasestr(symbol, "alloc") && !is_operator_new(symbol))
        return false;
    size_t count;
    st_frames(f->modules, pc, &count);
    return st_is_allocator(f->modules, pc, count - 1);
}

void st_hand_outs_find(struct st_modules *modules, uint64_t address,
                       const struct st_hand_out_search *search) {
    struct finding f = {.modules = modules, .search = search};
    uint64_t low, high, cold, cold_end;
    const char *symbol;
    f.object = st_object_behind(modules, address, &f.bias);
    for (int i = 0; f.object && (symbol = st_code_next_function(f.object, &i, &low, &high));) {
        if (strstr(symbol, ".cold") || !hands_out(&f, symbol, low))
            continue;
        uint32_t size = fixed_size(&f, low);
        find_entry(&f, low);
        find_exits(&f, low, high, size);
        if (st_code_cold_part(f.object, symbol, &cold, &cold_end))
            find_exits(&f, cold, cold_end, size);
    }
}
