#include "symbol/memory/library_types.h"

#include "symbol/data.h"
#include "symbol/label.h"
#include "symbol/memory/heap_types.h"
#include "symbol/units.h"

#include <dwarf.h>
#include <string.h>

static bool starts_with(const char *text, const char *start) {
    return text && strncmp(text, start, strlen(start)) == 0;
}

static bool first_argument(Dwarf_Die *type, Dwarf_Die *argument) {
    return st_template_argument(type, argument) && dwarf_peel_type(argument, argument) == 0;
}

/* Key and value: the key is constant. */
static bool is_of_map(Dwarf_Die *element) {
    Dwarf_Die key;
    return starts_with(dwarf_diename(element), "pair<") && st_template_argument(element, &key) &&
           dwarf_tag(&key) == DW_TAG_const_type;
}

/* Nodes, and what has them. */
static const struct {
    const char *node, *maps, *others;
} containers[] = {{"_Rb_tree_node<", "std::map element", "std::set element"},
                  {"_Hash_node<", "std::unordered_map element", "std::unordered_set element"},
                  {"_List_node<", "std::list element", "std::list element"},
                  {"_Fwd_list_node<", "std::forward_list element", "std::forward_list element"}};

/* An array of pointers to nodes. */
static bool is_bucket(Dwarf_Die *type) {
    Dwarf_Die node;
    return dwarf_tag(type) == DW_TAG_pointer_type && st_type_of(type, &node) &&
           starts_with(dwarf_diename(&node), "_Hash_node_base");
}

bool st_library_type_name(struct st_units *units, Dwarf_Die *type, struct st_label *name) {
    const char *own = dwarf_diename(type);
    Dwarf_Die element;
    if (is_bucket(type)) {
        st_label_clear(name);
        st_label_adds(name, "std::unordered_map buckets");
        return true;
    }
    if (!own || own[0] != '_' || !first_argument(type, &element))
        return false;
    if (starts_with(own, "_Sp_counted_ptr_inplace<"))
        return st_type_name(units, element, name);
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        if (!starts_with(own, containers[i].node))
            continue;
        st_label_clear(name);
        st_label_adds(name, is_of_map(&element) ? containers[i].maps : containers[i].others);
        return true;
    }
    return false;
}
