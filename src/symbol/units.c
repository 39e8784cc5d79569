#include "symbol/units.h"

#include "base/lower_bound.h"
#include "base/map64.h"
#include "base/memory.h"
#include "symbol/address_ranges.h"
#include "symbol/spelling.h"

#include <dwarf.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Limits, because damaged information can nest, refer and list without end. */
enum { DEEPEST = 200, LONGEST_CHAIN = 32, MOST_RANGES = 1 << 20 };

/* Where an entry is declared: in a namespace, a class or a function of its unit. */
struct home {
    const void *die;
    uint32_t scope; /* its number in `scopes` */
};

/* Invariants, once indexed: `homes` is sorted by `die`; an entry that is not in it is declared in
 * no scope; `what` of a range in `functions` is an index in `bodies`. */
struct unit {
    Dwarf_Die root;
    bool indexed;
    struct st_address_ranges functions;
    Dwarf_Die *bodies;
    size_t body_count, body_capacity;
    Dwarf_Die *scopes;
    size_t scope_count, scope_capacity;
    struct home *homes;
    size_t home_count, home_capacity;
};

/* A part of a variable that has an address: the whole variable, unless the compiler split it. */
struct piece {
    Dwarf_Die variable;
    uint64_t offset;
};

struct st_units {
    Dwarf *dwarf;
    uint64_t bias;
    struct st_map64 numbers; /* of units, by libdw's address of the unit */
    struct unit *list;
    size_t capacity;
    bool ranges_read, variables_read;
    struct st_address_ranges ranges;    /* `what` is the number of a unit */
    struct st_address_ranges variables; /* `what` is a number in `pieces` */
    struct piece *pieces;
    size_t piece_count, piece_capacity;
};

struct st_units *st_units_new(Dwarf *dwarf, uint64_t bias) {
    struct st_units *units = st_alloc(1, sizeof *units);
    units->dwarf = dwarf;
    units->bias = bias;
    st_map64_init(&units->numbers);
    return units;
}

static _Atomic uint64_t times_freed = 1;

uint64_t st_units_freed(void) {
    return atomic_load_explicit(&times_freed, memory_order_relaxed);
}

void st_units_free(struct st_units *units) {
    atomic_fetch_add_explicit(&times_freed, 1, memory_order_relaxed);
    if (!units)
        return;
    for (uint32_t i = 0; i < units->numbers.count; i++) {
        st_address_ranges_free(&units->list[i].functions);
        free(units->list[i].bodies);
        free(units->list[i].scopes);
        free(units->list[i].homes);
    }
    free(units->list);
    st_map64_free(&units->numbers);
    st_address_ranges_free(&units->ranges);
    st_address_ranges_free(&units->variables);
    free(units->pieces);
    free(units);
}

uint64_t st_units_bias(const struct st_units *units) {
    return units->bias;
}

/* ---- units by address ---- */

static uint32_t unit_number(struct st_units *units, const Dwarf_Die *root) {
    uint32_t number = st_map64_number(&units->numbers, (uintptr_t)root->cu);
    st_reserve(&units->list, &units->capacity, (size_t)number + 1);
    if (!units->list[number].root.addr)
        units->list[number].root = *root;
    return number;
}

/* Code that the linker discarded is left at address 0, or at the end of the address space. */
static void add_ranges(struct st_address_ranges *ranges, Dwarf_Die *die, uint32_t what) {
    Dwarf_Addr base, low, high;
    ptrdiff_t offset = 0;
    for (int i = 0; i < MOST_RANGES; i++) {
        offset = dwarf_ranges(die, offset, &base, &low, &high);
        if (offset <= 0)
            return;
        if (low)
            st_address_ranges_add(ranges, low, high, what);
    }
}

static void read_ranges(struct st_units *units) {
    if (units->ranges_read)
        return;
    units->ranges_read = true;
    Dwarf_CU *cu = NULL;
    Dwarf_Die root, split;
    while (dwarf_get_units(units->dwarf, cu, &cu, NULL, NULL, &root, &split) == 0) {
        /* With -gsplit-dwarf the ranges are here, and the rest is in another file. */
        int tag = root.addr ? dwarf_tag(&root) : DW_TAG_invalid;
        if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit)
            continue;
        add_ranges(&units->ranges, &root, unit_number(units, split.addr ? &split : &root));
    }
    st_address_ranges_sort(&units->ranges);
}

bool st_unit_at(struct st_units *units, uint64_t address, Dwarf_Die *unit) {
    read_ranges(units);
    const struct st_address_range *range = st_address_ranges_find(&units->ranges, address);
    if (range)
        *unit = units->list[range->what].root;
    return range != NULL;
}

/* ---- reading a unit ---- */

/* What a walk through a unit collects: its index, or its variables. */
struct walk {
    struct st_units *units; /* to add variables to; NULL when the unit is to be indexed */
    struct unit *unit;
    uintptr_t last; /* entry that was visited */
};

enum { NO_SCOPE = -1 };

static void add_home(struct unit *unit, const Dwarf_Die *die, int64_t scope) {
    if (scope == NO_SCOPE)
        return;
    st_reserve(&unit->homes, &unit->home_capacity, unit->home_count + 1);
    unit->homes[unit->home_count++] = (struct home){die->addr, (uint32_t)scope};
}

static int64_t add_scope(struct unit *unit, const Dwarf_Die *die) {
    st_reserve(&unit->scopes, &unit->scope_capacity, unit->scope_count + 1);
    unit->scopes[unit->scope_count] = *die;
    return (int64_t)unit->scope_count++;
}

static void add_function(struct unit *unit, Dwarf_Die *die) {
    size_t before = unit->functions.count;
    add_ranges(&unit->functions, die, (uint32_t)unit->body_count);
    if (unit->functions.count == before)
        return; /* a declaration, or inlined everywhere */
    st_reserve(&unit->bodies, &unit->body_capacity, unit->body_count + 1);
    unit->bodies[unit->body_count++] = *die;
}

static void add_piece(struct st_units *units, const Dwarf_Die *die, uint64_t low, uint64_t size,
                      uint64_t offset) {
    if (!low || size > UINT64_MAX - low)
        return;
    size_t before = units->variables.count;
    st_address_ranges_add(&units->variables, low, low + size, (uint32_t)units->piece_count);
    if (units->variables.count == before)
        return;
    st_reserve(&units->pieces, &units->piece_capacity, units->piece_count + 1);
    units->pieces[units->piece_count++] = (struct piece){*die, offset};
}

static uint64_t size_of(Dwarf_Die *variable) {
    Dwarf_Die type;
    Dwarf_Word size;
    if (!st_type_of(variable, &type) || dwarf_aggregate_size(&type, &size) != 0)
        return 1;
    return size;
}

static bool address_of(Dwarf_Attribute *location, const Dwarf_Op *op, uint64_t *address) {
    Dwarf_Attribute result;
    if (op->atom == DW_OP_addr) {
        *address = op->number;
        return true;
    }
    if (op->atom != DW_OP_addrx && op->atom != DW_OP_GNU_addr_index)
        return false;
    return dwarf_getlocation_attr(location, op, &result) == 0 &&
           dwarf_formaddr(&result, address) == 0;
}

/* A location is usually one operation, "address". Clang's optimiser splits structures ("address,
 * piece of 4 bytes, address, ..."; a piece without an address has none) and shrinks variables that
 * only ever hold one of two values to bytes ("address, read 1 byte, ..."). Thread-local variables
 * have no address here: theirs is followed by an operation that we do not know. */
static void add_variable(struct st_units *units, Dwarf_Die *die) {
    Dwarf_Attribute location;
    Dwarf_Op *ops;
    size_t count;
    if (!dwarf_attr(die, DW_AT_location, &location) ||
        dwarf_getlocation(&location, &ops, &count) != 0)
        return;
    uint64_t offset = 0;
    for (size_t i = 0; i < count;) {
        uint64_t address = 0;
        bool found = address_of(&location, &ops[i], &address);
        i += found;
        if (found && i < count && ops[i].atom == DW_OP_plus_uconst)
            address += ops[i++].number;
        if (i < count && ops[i].atom == DW_OP_piece) {
            if (found)
                add_piece(units, die, address, ops[i].number, offset);
            offset += ops[i++].number;
        } else if (found && i == count) {
            add_piece(units, die, address, size_of(die), offset);
        } else {
            if (found && ops[i].atom == DW_OP_deref_size)
                add_piece(units, die, address, ops[i].number, offset);
            return;
        }
    }
}

static void visit_children(struct walk *walk, Dwarf_Die *parent, int64_t scope, unsigned depth);

static void visit(struct walk *walk, Dwarf_Die *die, int64_t scope, unsigned depth) {
    bool indexing = !walk->units;
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
        if (indexing)
            add_function(walk->unit, die);
        /* fall through */
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        if (indexing) {
            add_home(walk->unit, die, scope);
            if (dwarf_haschildren(die) > 0)
                scope = add_scope(walk->unit, die);
        }
        visit_children(walk, die, scope, depth);
        break;
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        visit_children(walk, die, scope, depth);
        break;
    case DW_TAG_member: /* a static one, in DWARF 4 */
        if (indexing && dwarf_hasattr(die, DW_AT_external))
            add_home(walk->unit, die, scope);
        break;
    case DW_TAG_variable:
        if (indexing)
            add_home(walk->unit, die, scope);
        else
            add_variable(walk->units, die);
        break;
    }
}

static void visit_children(struct walk *walk, Dwarf_Die *parent, int64_t scope, unsigned depth) {
    Dwarf_Die die;
    if (depth > DEEPEST || dwarf_child(parent, &die) != 0)
        return;
    do {
        if ((uintptr_t)die.addr <= walk->last)
            return;
        walk->last = (uintptr_t)die.addr;
        visit(walk, &die, scope, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static struct unit *indexed_unit(struct st_units *units, const Dwarf_Die *root) {
    struct unit *unit = &units->list[unit_number(units, root)];
    if (unit->indexed)
        return unit;
    unit->indexed = true;
    struct walk walk = {.unit = unit};
    visit_children(&walk, &unit->root, NO_SCOPE, 0);
    st_address_ranges_sort(&unit->functions);
    return unit;
}

static void read_variables(struct st_units *units) {
    if (units->variables_read)
        return;
    units->variables_read = true;
    read_ranges(units); /* which lists the units */
    for (uint32_t i = 0; i < units->numbers.count; i++) {
        struct walk walk = {.units = units, .unit = &units->list[i]};
        visit_children(&walk, &units->list[i].root, NO_SCOPE, 0);
    }
    st_address_ranges_sort(&units->variables);
}

/* ---- look-up ---- */

bool st_function_at(struct st_units *units, const Dwarf_Die *root, uint64_t address,
                    Dwarf_Die *function) {
    const struct unit *unit = indexed_unit(units, root);
    const struct st_address_range *range = st_address_ranges_find(&unit->functions, address);
    if (range)
        *function = unit->bodies[range->what];
    return range != NULL;
}

bool st_variable_at(struct st_units *units, uint64_t address, Dwarf_Die *variable,
                    uint64_t *offset) {
    read_variables(units);
    const struct st_address_range *range = st_address_ranges_find(&units->variables, address);
    if (!range)
        return false;
    *variable = units->pieces[range->what].variable;
    *offset = units->pieces[range->what].offset + (address - range->low);
    return true;
}

bool st_type_of(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
           dwarf_formref_die(&attribute, type) && dwarf_peel_type(type, type) == 0;
}

/* ---- names ---- */

/* The original entry: a concrete function refers to an abstract one, and a definition to the
 * declaration in its class. The original is where the name belongs. */
static void go_to_declaration(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    for (int i = 0; i < LONGEST_CHAIN; i++) {
        if (!dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
            !dwarf_attr(die, DW_AT_specification, &attribute))
            return;
        if (!dwarf_formref_die(&attribute, &next))
            return;
        *die = next;
    }
}

static bool find_scope(struct st_units *units, const Dwarf_Die *die, Dwarf_Die *scope) {
    Dwarf_Die root, inside = *die;
    if (!dwarf_diecu(&inside, &root, NULL, NULL))
        return false;
    const struct unit *unit = indexed_unit(units, &root);
    size_t at;
    st_lower_bound(at, 0, unit->home_count, (uintptr_t)unit->homes[at].die < (uintptr_t)die->addr);
    if (at == unit->home_count || unit->homes[at].die != die->addr)
        return false;
    *scope = unit->scopes[unit->homes[at].scope];
    return true;
}

static bool is_lambda(Dwarf_Die *class) {
    Dwarf_Die die;
    if (dwarf_child(class, &die) != 0)
        return false;
    do {
        const char *name = dwarf_tag(&die) == DW_TAG_subprogram ? dwarf_diename(&die) : NULL;
        if (name && strncmp(name, "operator()", 10) == 0)
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* NULL if a name is needed and there is none. */
static const char *own_name(Dwarf_Die *die) {
    const char *name = dwarf_diename(die);
    if (name && *name)
        return name;
    switch (dwarf_tag(die)) {
    case DW_TAG_namespace:
        return "(anonymous namespace)";
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return is_lambda(die) ? "{lambda}" : "{unnamed}";
    default:
        return NULL;
    }
}

static bool get_number(Dwarf_Die *die, unsigned name, Dwarf_Word *number) {
    Dwarf_Attribute attribute;
    return dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), number) == 0;
}

/* The function that the code of an OpenMP construct was taken from by clang, which does not say:
 * the last one in the same file that is declared before it. */
static bool find_origin(const struct st_units *units, Dwarf_Die *die, Dwarf_Die *origin) {
    uint32_t number = st_map64_find(&units->numbers, (uintptr_t)die->cu);
    Dwarf_Word file, line, there, other, best = 0;
    if (number == ST_MAP64_NONE || !get_number(die, DW_AT_decl_file, &file) ||
        !get_number(die, DW_AT_decl_line, &line))
        return false;
    const struct unit *unit = &units->list[number];
    for (size_t i = 0; i < unit->body_count; i++) {
        Dwarf_Die *body = &unit->bodies[i];
        const char *name = dwarf_diename(body);
        if (name && !st_is_outlined(name) && get_number(body, DW_AT_decl_file, &there) &&
            there == file && get_number(body, DW_AT_decl_line, &other) && other <= line &&
            other > best) {
            best = other;
            *origin = *body;
        }
    }
    return best > 0;
}

static bool add_qualified(struct st_units *units, Dwarf_Die die, struct st_label *text, int depth);

/* gcc puts such code into the function that it was taken from. */
static bool add_outlined(struct st_units *units, Dwarf_Die *die, const char *name,
                         struct st_label *text, int depth) {
    Dwarf_Die origin;
    if (depth < LONGEST_CHAIN &&
        (find_scope(units, die, &origin) || find_origin(units, die, &origin)) &&
        add_qualified(units, origin, text, depth + 1))
        st_label_adds(text, "::" ST_OUTLINED);
    else
        st_spell_outlined(text, name);
    return true;
}

static bool add_qualified(struct st_units *units, Dwarf_Die die, struct st_label *text, int depth) {
    Dwarf_Die scope;
    go_to_declaration(&die);
    const char *name = own_name(&die);
    if (!name)
        return false;
    if (st_is_outlined(name))
        return add_outlined(units, &die, name, text, depth);
    if (depth < LONGEST_CHAIN && find_scope(units, &die, &scope) &&
        add_qualified(units, scope, text, depth + 1))
        st_label_adds(text, "::");
    st_spell(text, name);
    return true;
}

bool st_qualified_name(struct st_units *units, Dwarf_Die *die, struct st_label *text) {
    return add_qualified(units, *die, text, 0);
}
