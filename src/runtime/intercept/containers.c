/* Lists and trees of the C++ library. Their templates are compiled with the program and call us,
 * but what links nodes to each other is in libstdc++.so, where nobody would see it: that a key was
 * entered into a std::map, or an element into a std::list.
 *
 * Of a tree, the nodes above the place of the change are compared before and after it, and what
 * differs was written. (Rotations also change the way up from nodes beside them, which only those
 * see who go through the tree step by step.) Nodes are laid out as libstdc++ has them since its
 * version 3.4. */
#define _GNU_SOURCE
#include "runtime/core/access.h"
#include "runtime/intercept/interpose.h"

#include <dlfcn.h>

struct tree_node {
    int colour;
    struct tree_node *parent, *left, *right;
};

struct list_node {
    struct list_node *next, *previous;
};

/* The names of std::_Rb_tree_insert_and_rebalance and so on, as the linker knows them. */
#define insert_in_tree _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_
#define erase_from_tree _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_
#define hook_in_list _ZNSt8__detail15_List_node_base7_M_hookEPS0_
#define unhook_from_list _ZNSt8__detail15_List_node_base9_M_unhookEv
#define transfer_in_list _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_

RT_EXPORT void insert_in_tree(bool left, struct tree_node *node, struct tree_node *parent,
                              struct tree_node *header);
RT_EXPORT struct tree_node *erase_from_tree(struct tree_node *node, struct tree_node *header);
RT_EXPORT void hook_in_list(struct list_node *node, struct list_node *position);
RT_EXPORT void unhook_from_list(struct list_node *node);
RT_EXPORT void transfer_in_list(struct list_node *position, struct list_node *first,
                                struct list_node *last);

/* A plugin may have brought the library along, and nobody else sees it then. */
static void *find_in_library(const char *name) {
    void *function = rt_real(name), *library;
    if (!function && (library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD)))
        function = dlsym(library, name);
    return function;
}
#define REAL(result, ...) RT_REAL_FROM(find_in_library, result, __VA_ARGS__)

/* The name becomes a part of a word, so it is written in full. */
REAL(void, _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_, bool,
     struct tree_node *, struct tree_node *, struct tree_node *)
REAL(struct tree_node *, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_,
     struct tree_node *, struct tree_node *)
REAL(void, _ZNSt8__detail15_List_node_base7_M_hookEPS0_, struct list_node *, struct list_node *)
REAL(void, _ZNSt8__detail15_List_node_base9_M_unhookEv, struct list_node *)
REAL(void, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_, struct list_node *,
     struct list_node *, struct list_node *)

static void wrote_link(const void *link, uintptr_t caller) {
    rt_write_range((uintptr_t)link, sizeof(void *), caller);
}

/* ---- trees ---- */

enum { MOST_COPIES = 160 }; /* a tree of 2^64 nodes is 128 deep at most */

struct copies {
    size_t count;
    struct tree_node *nodes[MOST_COPIES], before[MOST_COPIES];
};

static void copy_node(struct copies *copies, struct tree_node *node) {
    if (copies->count == MOST_COPIES)
        return;
    copies->nodes[copies->count] = node;
    copies->before[copies->count++] = *node;
}

/* The header, the node, and all above it: the root's parent is the header. */
static void copy_way_up(struct copies *copies, struct tree_node *node, struct tree_node *header) {
    copy_node(copies, header);
    for (; node && node != header && copies->count < MOST_COPIES; node = node->parent)
        copy_node(copies, node);
}

static void emit_changes(const struct copies *copies, uintptr_t caller) {
    for (size_t i = 0; i < copies->count; i++) {
        const struct tree_node *node = copies->nodes[i], *before = &copies->before[i];
        if (node->parent != before->parent)
            wrote_link(&node->parent, caller);
        if (node->left != before->left)
            wrote_link(&node->left, caller);
        if (node->right != before->right)
            wrote_link(&node->right, caller);
    }
}

void insert_in_tree(bool left, struct tree_node *node, struct tree_node *parent,
                    struct tree_node *header) {
    struct copies copies;
    copies.count = 0;
    copy_way_up(&copies, parent, header);
    real__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_()(left, node, parent,
                                                                             header);
    RT_EMIT(rt_write_range((uintptr_t)node, sizeof *node, RT_CALLER),
            emit_changes(&copies, RT_CALLER));
}

/* The next node takes the place of one that has two below it. */
struct tree_node *erase_from_tree(struct tree_node *node, struct tree_node *header) {
    struct copies copies;
    struct tree_node *lowest = node;
    copies.count = 0;
    if (node->left && node->right)
        for (lowest = node->right; lowest->left;)
            lowest = lowest->left;
    copy_way_up(&copies, lowest, header);
    struct tree_node *erased =
        real__ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_()(node, header);
    RT_EMIT(emit_changes(&copies, RT_CALLER));
    return erased;
}

/* ---- lists ---- */

void hook_in_list(struct list_node *node, struct list_node *position) {
    RT_EMIT(rt_read_range((uintptr_t)&position->previous, sizeof(void *), RT_CALLER),
            rt_write_range((uintptr_t)node, sizeof *node, RT_CALLER),
            wrote_link(&position->previous->next, RT_CALLER),
            wrote_link(&position->previous, RT_CALLER));
    real__ZNSt8__detail15_List_node_base7_M_hookEPS0_()(node, position);
}

void unhook_from_list(struct list_node *node) {
    RT_EMIT(rt_read_range((uintptr_t)node, sizeof *node, RT_CALLER),
            wrote_link(&node->previous->next, RT_CALLER),
            wrote_link(&node->next->previous, RT_CALLER));
    real__ZNSt8__detail15_List_node_base9_M_unhookEv()(node);
}

void transfer_in_list(struct list_node *position, struct list_node *first, struct list_node *last) {
    if (position != last)
        RT_EMIT(wrote_link(&last->previous->next, RT_CALLER),
                wrote_link(&first->previous->next, RT_CALLER),
                wrote_link(&position->previous->next, RT_CALLER),
                wrote_link(&position->previous, RT_CALLER), wrote_link(&last->previous, RT_CALLER),
                wrote_link(&first->previous, RT_CALLER));
    real__ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_()(position, first, last);
}
