#include "base/shared_row.h"

void st_rows_init(struct st_rows *rows) {
    struct st_shared_row *row;
    st_slab_init(&rows->leaves, offsetof(struct st_shared_row, values) + sizeof row->values);
    st_slab_init(&rows->inner, sizeof *row);
    rows->used_bytes = 0;
    rows->of_bits = false;
}

void st_rows_free(struct st_rows *rows) {
    st_slab_free(&rows->leaves);
    st_slab_free(&rows->inner);
}

/* With one reference, and undefined entries. */
static struct st_shared_row *new_node(struct st_rows *rows, uint32_t level) {
    struct st_slab *slab = level ? &rows->inner : &rows->leaves;
    struct st_shared_row *row = st_slab_reuse(slab);
    rows->used_bytes += slab->object_bytes;
    row->references = 1;
    row->level = level;
    return row;
}

static struct st_shared_row *new_empty(struct st_rows *rows, uint32_t level) {
    struct st_shared_row *row = new_node(rows, level);
    if (level)
        memset(row->children, 0, sizeof row->children);
    else
        memset(row->values, 0, sizeof row->values);
    return row;
}

void st_row_drop(struct st_rows *rows, struct st_shared_row *row) {
    if (!row || --row->references)
        return;
    for (uint32_t c = 0; row->level && c < ST_ROW_FAN; c++)
        st_row_drop(rows, row->children[c]);
    struct st_slab *slab = row->level ? &rows->inner : &rows->leaves;
    rows->used_bytes -= slab->object_bytes;
    st_slab_give(slab, row);
}

const uint32_t *st_row_leaf(const struct st_shared_row *row, uint64_t *at) {
    while (row && !(*at >> (ST_ROW_BITS * (row->level + 1)))) {
        const struct st_shared_row *node = row;
        uint32_t shift = ST_ROW_BITS * (node->level + 1);
        while (node && node->level) {
            shift = ST_ROW_BITS * node->level;
            node = node->children[*at >> shift & (ST_ROW_FAN - 1)];
        }
        if (node) {
            *at &= ~(uint64_t)(ST_ROW_FAN - 1);
            return node->values;
        }
        *at = ((*at >> shift) + 1) << shift;
    }
    return NULL;
}

/* ---- one entry ---- */

/* *row as a node that only the caller refers to. */
static struct st_shared_row *own(struct st_rows *rows, struct st_shared_row **row, uint32_t level) {
    struct st_shared_row *old = *row;
    if (old && old->references == 1)
        return old;
    if (!old)
        return *row = new_empty(rows, level);
    struct st_shared_row *copy = *row = new_node(rows, level);
    if (level) {
        memcpy(copy->children, old->children, sizeof old->children);
        for (uint32_t c = 0; c < ST_ROW_FAN; c++)
            st_row_share(copy->children[c]);
    } else {
        memcpy(copy->values, old->values, sizeof old->values);
    }
    old->references--;
    return copy;
}

void st_row_set(struct st_rows *rows, struct st_shared_row **row, uint32_t at, uint32_t value) {
    if (!*row)
        *row = new_empty(rows, 0);
    while (st_row_ends_before(*row, at)) {
        struct st_shared_row *root = new_empty(rows, (*row)->level + 1);
        root->children[0] = *row;
        *row = root;
    }
    for (uint32_t level = (*row)->level; level; level--)
        row = &own(rows, row, level)->children[at >> (ST_ROW_BITS * level) & (ST_ROW_FAN - 1)];
    own(rows, row, 0)->values[at & (ST_ROW_FAN - 1)] = value;
}

/* ---- all entries ---- */

static struct st_shared_row *join_leaves(struct st_rows *rows, struct st_shared_row *a,
                                         struct st_shared_row *b) {
    uint32_t values[ST_ROW_FAN];
    for (uint32_t i = 0; i < ST_ROW_FAN; i++) {
        uint32_t greater = a->values[i] > b->values[i] ? a->values[i] : b->values[i];
        values[i] = rows->of_bits ? a->values[i] | b->values[i] : greater;
    }
    if (memcmp(values, a->values, sizeof values) == 0)
        return st_row_share(a);
    if (memcmp(values, b->values, sizeof values) == 0)
        return st_row_share(b);
    struct st_shared_row *joined = new_node(rows, 0);
    memcpy(joined->values, values, sizeof values);
    return joined;
}

/* The child of a node that may be lower than its place in the tree. */
static struct st_shared_row *child_at(const struct st_shared_row *row, uint32_t level, uint32_t c) {
    if (row->level < level)
        return c ? NULL : (struct st_shared_row *)row;
    return row->children[c];
}

static struct st_shared_row *join_rows(struct st_rows *rows, struct st_shared_row *a,
                                       struct st_shared_row *b);

/* The children that an inner node with the greater one of each entry has. Those of a or b are
 * borrowed, so that nobody touches subtrees that stay; the bits of the others are returned. */
static uint32_t join_children(struct st_rows *rows, struct st_shared_row *a,
                              struct st_shared_row *b, uint32_t level,
                              struct st_shared_row **children) {
    uint32_t made = 0;
    for (uint32_t c = 0; c < ST_ROW_FAN; c++) {
        struct st_shared_row *of_a = child_at(a, level, c), *of_b = child_at(b, level, c);
        if (of_a == of_b || !of_b || !of_a) {
            children[c] = of_a ? of_a : of_b;
            continue;
        }
        children[c] = join_rows(rows, of_a, of_b);
        made |= UINT32_C(1) << c;
    }
    return made;
}

static bool has_children(const struct st_shared_row *row, uint32_t level,
                         struct st_shared_row *const *children) {
    return row->level == level && memcmp(row->children, children, sizeof row->children) == 0;
}

/* A row with the greater one of each entry, with a reference for the caller: a or b, if it has all
 * of them. */
static struct st_shared_row *join_rows(struct st_rows *rows, struct st_shared_row *a,
                                       struct st_shared_row *b) {
    uint32_t level = a->level > b->level ? a->level : b->level;
    if (!level)
        return join_leaves(rows, a, b);
    struct st_shared_row *children[ST_ROW_FAN];
    uint32_t made = join_children(rows, a, b, level, children);
    struct st_shared_row *same = has_children(a, level, children)   ? a
                                 : has_children(b, level, children) ? b
                                                                    : NULL;
    struct st_shared_row *joined = same ? st_row_share(same) : new_node(rows, level);
    if (!same)
        memcpy(joined->children, children, sizeof children);
    for (uint32_t c = 0; c < ST_ROW_FAN; c++) {
        bool is_made = made >> c & 1;
        if (same && is_made)
            st_row_drop(rows, children[c]);
        else if (!same && !is_made)
            st_row_share(children[c]);
    }
    return joined;
}

bool st_row_join(struct st_rows *rows, struct st_shared_row **into, struct st_shared_row *from) {
    struct st_shared_row *old = *into;
    if (old == from || !from)
        return false;
    *into = old ? join_rows(rows, old, from) : st_row_share(from);
    st_row_drop(rows, old);
    return *into != old;
}

/* ---- rows of bits ---- */

void st_row_add(struct st_rows *rows, struct st_shared_row **set, uint32_t member) {
    uint32_t word = st_row_get(*set, member / 32), with = word | UINT32_C(1) << member % 32;
    if (with != word)
        st_row_set(rows, set, member / 32, with);
}

static bool is_zero(const struct st_shared_row *row) {
    static const struct st_shared_row zero;
    return row->level ? memcmp(row->children, zero.children, sizeof zero.children) == 0
                      : memcmp(row->values, zero.values, sizeof zero.values) == 0;
}

static void clear_bit(struct st_rows *rows, struct st_shared_row **row, uint32_t at, uint32_t bit) {
    struct st_shared_row *node = *row;
    if (!node)
        return;
    uint32_t c = at >> (ST_ROW_BITS * node->level) & (ST_ROW_FAN - 1);
    if (node->level)
        clear_bit(rows, &node->children[c], at, bit);
    else
        node->values[c] &= ~bit;
    if (is_zero(node)) {
        *row = NULL;
        st_row_drop(rows, node);
    }
}

void st_row_remove(struct st_rows *rows, struct st_shared_row **set, uint32_t member) {
    if (*set && !st_row_ends_before(*set, member / 32))
        clear_bit(rows, set, member / 32, UINT32_C(1) << member % 32);
}

bool st_row_has_more(const struct st_shared_row *set, const struct st_shared_row *other) {
    if (!set || set == other)
        return false;
    uint32_t level = other && other->level > set->level ? other->level : set->level;
    for (uint32_t c = 0; c < ST_ROW_FAN; c++) {
        if (!level) {
            if (set->values[c] & ~(other ? other->values[c] : 0))
                return true;
        } else if (st_row_has_more(child_at(set, level, c),
                                   other ? child_at(other, level, c) : NULL)) {
            return true;
        }
    }
    return false;
}
