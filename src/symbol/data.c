#include "symbol/data.h"

#include "symbol/spelling.h"
#include "symbol/units.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

enum { DEEPEST = 32, MOST_DIMENSIONS = 8 };

static bool get_number(Dwarf_Die *die, unsigned name, uint64_t *number) {
    Dwarf_Attribute attribute;
    return dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), number) == 0;
}

static uint64_t size_of(Dwarf_Die *type) {
    Dwarf_Word size;
    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

/* ---- arrays ---- */

/* The number of elements of a dimension, 0 when it is not known. */
static uint64_t elements(Dwarf_Die *subrange) {
    uint64_t number;
    if (get_number(subrange, DW_AT_count, &number))
        return number;
    return get_number(subrange, DW_AT_upper_bound, &number) ? number + 1 : 0;
}

static size_t read_dimensions(Dwarf_Die *array, uint64_t dimensions[MOST_DIMENSIONS]) {
    size_t count = 0;
    Dwarf_Die die;
    if (dwarf_child(array, &die) != 0)
        return 0;
    do {
        if (dwarf_tag(&die) == DW_TAG_subrange_type && count < MOST_DIMENSIONS)
            dimensions[count++] = elements(&die);
    } while (dwarf_siblingof(&die, &die) == 0);
    return count;
}

/* Appends "[1][2]" and goes on to the element. Only the first dimension may be of unknown size. */
static bool enter_array(Dwarf_Die *type, uint64_t *offset, struct st_label *text) {
    uint64_t dimensions[MOST_DIMENSIONS], below = 1;
    Dwarf_Die element;
    if (!st_type_of(type, &element))
        return false;
    uint64_t size = size_of(&element);
    size_t count = read_dimensions(type, dimensions);
    if (!size || !count)
        return false;
    for (size_t i = 1; i < count; i++)
        if (!dimensions[i] || __builtin_mul_overflow(below, dimensions[i], &below))
            return false;
    uint64_t index = *offset / size;
    for (size_t i = 0; i < count; i++) {
        st_label_addf(text, "[%" PRIu64 "]", index / below);
        index %= below;
        if (i + 1 < count)
            below /= dimensions[i + 1];
    }
    *offset %= size;
    *type = element;
    return true;
}

/* ---- structures ---- */

/* The bytes of a member. `end` is UINT64_MAX if its type is not described here: clang omits
 * classes that another unit describes. False for static members and virtual bases. */
static bool extent_of(Dwarf_Die *member, uint64_t *start, uint64_t *end) {
    uint64_t bits, bit, whole;
    Dwarf_Die type;
    if (dwarf_hasattr(member, DW_AT_external) || dwarf_hasattr(member, DW_AT_declaration))
        return false;
    if (!get_number(member, DW_AT_data_member_location, start)) {
        if (dwarf_hasattr(member, DW_AT_data_member_location))
            return false;
        *start = 0; /* of a union */
    }
    bool is_field = get_number(member, DW_AT_bit_size, &bits) && bits > 0;
    if (is_field && get_number(member, DW_AT_data_bit_offset, &bit)) {
        bit += *start * 8;
    } else if (is_field && get_number(member, DW_AT_bit_offset, &bit) &&
               get_number(member, DW_AT_byte_size, &whole)) {
        bit = (*start + whole) * 8 - bit - bits; /* DWARF 3 counts from the upper end */
    } else {
        if (!st_type_of(member, &type))
            return false;
        *end = dwarf_hasattr(&type, DW_AT_declaration) ? UINT64_MAX : *start + size_of(&type);
        return true;
    }
    *start = bit / 8;
    *end = (bit + bits + 7) / 8;
    return true;
}

/* What was found out about an entry of a structure: asking libdw again and again, for each of the
 * variables in an array of structures, takes longer than all else about their names. */
struct known_entry {
    const void *place;   /* of the entry, in libdw's memory */
    uint64_t generation; /* libdw's memory was not used for anything else since then */
    int tag;
    bool has_extent, has_next;
    uint64_t start, end;
    Dwarf_Die next; /* the entry behind it */
};

static const struct known_entry *know(Dwarf_Die *die) {
    enum { KNOWN = 512 };
    static _Thread_local struct known_entry table[KNOWN];
    uint64_t hash = (uint64_t)(uintptr_t)die->addr * UINT64_C(0x9E3779B97F4A7C15);
    struct known_entry *known = &table[hash >> 32 & (KNOWN - 1)];
    uint64_t generation = st_units_freed();
    if (known->place == die->addr && known->generation == generation)
        return known;
    *known =
        (struct known_entry){.place = die->addr, .generation = generation, .tag = dwarf_tag(die)};
    known->has_extent = (known->tag == DW_TAG_member || known->tag == DW_TAG_inheritance) &&
                        extent_of(die, &known->start, &known->end);
    known->has_next = dwarf_siblingof(die, &known->next) == 0;
    return known;
}

struct holder {
    Dwarf_Die die;
    uint64_t start, end;
};

/* The members that hold a byte of a structure. Members take precedence over bases, because an
 * empty base shares its place with a member. A member of unknown size extends to the next one. */
struct holders {
    unsigned count; /* of members with a known size */
    struct holder member, base, unsized;
    bool has_base, has_unsized;
};

static void add_holder(struct holders *holders, Dwarf_Die *die, uint64_t offset) {
    const struct known_entry *known = know(die);
    if (!known->has_extent || offset < known->start)
        return;
    struct holder new = {.die = *die, .start = known->start, .end = known->end};
    int tag = known->tag;
    if (holders->has_unsized && holders->unsized.start < new.start)
        holders->has_unsized = false;
    if (offset >= new.end)
        return;
    if (new.end == UINT64_MAX) {
        holders->has_unsized = true;
        holders->unsized = new;
    } else if (tag == DW_TAG_inheritance) {
        if (!holders->has_base || new.end - new.start > holders->base.end - holders->base.start)
            holders->base = new;
        holders->has_base = true;
    } else if (!holders->count++) {
        holders->member = new;
    }
}

static bool next_entry(Dwarf_Die *die) {
    const struct known_entry *known = know(die);
    bool has_next = known->has_next;
    if (has_next)
        *die = known->next;
    return has_next;
}

static void find_holders(Dwarf_Die *type, uint64_t offset, struct holders *holders) {
    Dwarf_Die die;
    *holders = (struct holders){0};
    if (dwarf_child(type, &die) != 0)
        return;
    do
        add_holder(holders, &die, offset);
    while (next_entry(&die));
}

/* Appends ".low|bits". */
static void add_shared_names(Dwarf_Die *type, uint64_t offset, struct st_label *text) {
    Dwarf_Die die;
    const char *before = ".";
    if (dwarf_child(type, &die) != 0)
        return;
    do {
        struct holders one = {0};
        add_holder(&one, &die, offset);
        const char *name = one.count ? dwarf_diename(&die) : NULL;
        if (!name || st_is_reserved(name))
            continue;
        st_label_adds(text, before);
        st_label_adds(text, name);
        before = "|";
    } while (next_entry(&die));
}

/* An std::array is written like an array, whatever the library calls the one inside. */
static bool is_std_array(Dwarf_Die *type) {
    const char *name = dwarf_diename(type);
    return name && strncmp(name, "array<", 6) == 0;
}

bool st_template_argument(Dwarf_Die *type, Dwarf_Die *argument) {
    Dwarf_Die die;
    Dwarf_Attribute attribute;
    if (dwarf_child(type, &die) != 0)
        return false;
    do {
        if (dwarf_tag(&die) == DW_TAG_template_type_parameter)
            return dwarf_formref_die(dwarf_attr(&die, DW_AT_type, &attribute), argument) != NULL;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* Bytes in which the C++ library makes an object later: replaces the type by that of the object. */
static bool enter_raw_storage(Dwarf_Die *type) {
    static const char *const names[] = {"__aligned_membuf<", "__aligned_buffer<"};
    const char *name = dwarf_diename(type);
    Dwarf_Die object;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0 && st_template_argument(type, &object))
            return dwarf_peel_type(&object, type) == 0;
    return false;
}

/* Where the way to a byte has come to. */
struct way {
    Dwarf_Die type;
    uint64_t offset; /* of the byte in it */
    bool hidden;     /* in what has no name for users, but may lead to something that has one */
};

/* Appends ".member" and descends into it. A member without a name is an anonymous structure or
 * union; bases have no name either. */
static bool enter_structure(struct way *way, struct st_label *text) {
    struct holders holders;
    Dwarf_Die next;
    if (enter_raw_storage(&way->type)) {
        way->hidden = false;
        return true;
    }
    find_holders(&way->type, way->offset, &holders);
    if (holders.count > 1) {
        size_t length = text->length;
        add_shared_names(&way->type, way->offset, text);
        if (text->length > length)
            way->offset = 0;
        return false;
    }
    if (!holders.count && !holders.has_unsized && !holders.has_base)
        return false; /* padding */
    struct holder *holder = holders.count         ? &holders.member
                            : holders.has_unsized ? &holders.unsized
                                                  : &holders.base;
    bool is_base = dwarf_tag(&holder->die) == DW_TAG_inheritance;
    const char *name = is_base || is_std_array(&way->type) ? NULL : dwarf_diename(&holder->die);
    if (dwarf_hasattr(&holder->die, DW_AT_artificial) || !st_type_of(&holder->die, &next))
        return false;
    if (name && st_is_reserved(name)) {
        way->hidden = true;
    } else if (name) {
        way->hidden = false;
        st_label_adds(text, ".");
        st_label_adds(text, name);
    }
    way->offset -= holder->start;
    way->type = next;
    return true;
}

/* ---- variables ---- */

void st_data_path(Dwarf_Die type, uint64_t offset, struct st_label *text) {
    struct way way = {.type = type, .offset = offset};
    bool deeper = true;
    for (int i = 0; deeper && i < DEEPEST; i++) {
        switch (dwarf_tag(&way.type)) {
        case DW_TAG_array_type:
            deeper = !way.hidden && enter_array(&way.type, &way.offset, text);
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
            deeper = enter_structure(&way, text);
            break;
        default:
            deeper = false;
        }
    }
    if (way.offset && !way.hidden)
        st_label_addf(text, "+0x%" PRIx64, way.offset);
}

static void add_path(Dwarf_Die *variable, uint64_t offset, struct st_label *text) {
    Dwarf_Die type;
    if (st_type_of(variable, &type))
        st_data_path(type, offset, text);
    else if (offset)
        st_label_addf(text, "+0x%" PRIx64, offset);
}

bool st_data_in(struct st_object *object, uint64_t address, struct st_label *text,
                enum st_data_kind *kind) {
    Dwarf_Die variable;
    uint64_t offset;
    if (object->units &&
        st_variable_at(object->units, address - st_units_bias(object->units), &variable, &offset) &&
        st_qualified_name(object->units, &variable, text)) {
        add_path(&variable, offset, text);
        *kind = ST_DATA_VARIABLE;
        return true;
    }
    if (!object->dwfl || !st_object_data(object, address, text, &offset))
        return false;
    if (offset)
        st_label_addf(text, "+0x%" PRIx64, offset);
    *kind = ST_DATA_SYMBOL;
    return true;
}
