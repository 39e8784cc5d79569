#include "watch/memory/parts.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { NO_ANCESTOR = 0, MOST = 8 };

/* One that a part comes from, and the one before. */
struct ancestor {
    uint32_t variable;
    uint32_t next;   /* 1 + index, or NO_ANCESTOR */
    uint32_t before; /* the same, of the one that was made before it in this granule */
};

/* Bytes of a granule that are one variable. */
struct part {
    uint8_t bytes; /* bit by offset; 0: no more parts */
    bool written;  /* it may have been */
    uint32_t variable;
    uint32_t ancestors; /* 1 + index of the first, or NO_ANCESTOR */
};

/* Invariant: the list is sorted by bytes. Unless `split` is told, parts of one byte have
 * consecutive numbers in that order, so that an access to several of them can be one run
 * (trace/format.h). */
struct granule_parts {
    struct part list[MOST];
    uint32_t byte_variables; /* 1 + the number that byte 0 has or would have, or 0: none yet */
    uint32_t ancestors;      /* 1 + index of the last that was made here, or NO_ANCESTOR */
};

void st_parts_free(struct st_parts *parts) {
    free(parts->list);
    free(parts->free_list);
    free(parts->ancestors);
}

/* ---- granules ---- */

static uint32_t take_number(struct st_parts *parts) {
    if (parts->free_count)
        return parts->free_list[--parts->free_count];
    st_reserve(&parts->list, &parts->capacity, parts->count + 1);
    return (uint32_t)parts->count++;
}

uint32_t st_parts_add(struct st_parts *parts, unsigned size, uint32_t variable) {
    uint32_t number = take_number(parts);
    struct granule_parts *granule = &parts->list[number];
    memset(granule, 0, sizeof *granule);
    for (unsigned i = 0; size && i < MOST / size; i++)
        granule->list[i] = (struct part){(uint8_t)(((1u << size) - 1) << i * size), true,
                                         variable + i, NO_ANCESTOR};
    return number;
}

unsigned st_parts_variables(const struct st_parts *parts, uint32_t number, uint32_t found[8]) {
    const struct part *list = parts->list[number].list;
    unsigned count = 0;
    for (; count < MOST && list[count].bytes; count++)
        found[count] = list[count].variable;
    return count;
}

static uint32_t lowest(uint8_t bytes) {
    return (uint32_t)__builtin_ctz(bytes);
}

static void add_part(struct granule_parts *granule, struct part part) {
    int i = 0;
    while (granule->list[i].bytes)
        i++;
    for (; i > 0 && lowest(granule->list[i - 1].bytes) > lowest(part.bytes); i--)
        granule->list[i] = granule->list[i - 1];
    granule->list[i] = part;
}

static void remove_part(struct granule_parts *granule, int i) {
    for (; i < MOST - 1; i++)
        granule->list[i] = granule->list[i + 1];
    granule->list[MOST - 1].bytes = 0;
}

/* ---- dividing ---- */

static uint32_t take_ancestor(struct st_parts *parts) {
    uint32_t number = parts->free_ancestor;
    if (number) {
        parts->free_ancestor = parts->ancestors[number - 1].before;
        return number;
    }
    st_reserve(&parts->ancestors, &parts->ancestor_capacity, parts->ancestor_count + 1);
    return (uint32_t)++parts->ancestor_count;
}

/* A variable for these bytes of the granule at the address. */
static uint32_t make_variable(const struct st_parts_owner *owner, struct granule_parts *granule,
                              uint64_t address, uint8_t bytes) {
    if (bytes & (bytes - 1) || owner->split)
        return owner->make(owner->context, address + lowest(bytes), 0, 1);
    if (!granule->byte_variables)
        granule->byte_variables = 1 + owner->make(owner->context, address, 1, MOST);
    return granule->byte_variables - 1 + lowest(bytes);
}

/* The variable of a part becomes one of others, which come in its place: returns the ancestors that
 * these have. If it was never written, it will never be: then it is none of them. */
static uint32_t become_ancestor(struct st_parts *parts, const struct st_parts_owner *owner,
                                struct granule_parts *granule, struct part old) {
    uint32_t ancestors = take_ancestor(parts);
    parts->ancestors[ancestors - 1] =
        (struct ancestor){old.variable, old.ancestors, granule->ancestors};
    granule->ancestors = ancestors;
    if (owner->split)
        return NO_ANCESTOR;
    return old.written ? ancestors : old.ancestors;
}

/* A part that the access covers in part: what is covered and what is not are parts of their own
 * from now on. */
static void split_part(struct st_parts *parts, const struct st_parts_owner *owner, uint32_t number,
                       int i, uint64_t address, uint8_t bytes) {
    struct granule_parts *granule = &parts->list[number];
    struct part old = granule->list[i];
    uint32_t ancestors = become_ancestor(parts, owner, granule, old);
    uint8_t inside = old.bytes & bytes, outside = old.bytes & (uint8_t)~bytes;
    struct part in = {inside, false, make_variable(owner, granule, address, inside), ancestors};
    struct part out = {outside, false, make_variable(owner, granule, address, outside), ancestors};
    remove_part(granule, i);
    add_part(granule, in);
    add_part(granule, out);
    if (owner->split) {
        owner->split(owner->split_context, old.variable, in.variable);
        owner->split(owner->split_context, old.variable, out.variable);
    }
}

void st_parts_renew(struct st_parts *parts, const struct st_parts_owner *owner, uint32_t number,
                    uint64_t address) {
    struct granule_parts *granule = &parts->list[number];
    granule->byte_variables = 0; /* those that are in use become ancestors */
    for (int i = 0; i < MOST && granule->list[i].bytes; i++) {
        struct part old = granule->list[i];
        uint32_t ancestors = become_ancestor(parts, owner, granule, old);
        uint32_t new = make_variable(owner, granule, address, old.bytes);
        granule->list[i] = (struct part){old.bytes, false, new, ancestors};
        if (owner->split)
            owner->split(owner->split_context, old.variable, new);
    }
}

/* ---- accesses ---- */

/* Ancestors that the access at work has read already. There is one for each time that a part of the
 * granule was divided. */
struct seen {
    uint32_t list[MOST], count;
};

/* True: it is new. */
static bool see(struct seen *seen, uint32_t ancestor) {
    for (uint32_t i = 0; i < seen->count; i++)
        if (seen->list[i] == ancestor)
            return false;
    if (seen->count < MOST)
        seen->list[seen->count++] = ancestor;
    return true;
}

/* The ancestors of one that was seen were seen, too. */
static void visit_part(const struct st_parts *parts, struct part *part, bool write,
                       struct seen *seen,
                       void (*visit)(void *context, uint32_t variable, bool write), void *context) {
    for (uint32_t a = part->ancestors; a && see(seen, a); a = parts->ancestors[a - 1].next)
        visit(context, parts->ancestors[a - 1].variable, false);
    if (write) {
        part->ancestors = NO_ANCESTOR;
        part->written = true;
    }
    visit(context, part->variable, write);
}

void st_parts_touch(struct st_parts *parts, const struct st_parts_owner *owner, uint32_t number,
                    uint64_t address, uint8_t bytes, bool write,
                    void (*visit)(void *context, uint32_t variable, bool write), void *context) {
    struct granule_parts *granule = &parts->list[number];
    uint8_t known = 0;
    for (int i = 0; i < MOST && granule->list[i].bytes; i++) {
        uint8_t part = granule->list[i].bytes;
        known |= part;
        if ((part & bytes) && (part & ~bytes))
            split_part(parts, owner, number, i, address, bytes);
    }
    uint8_t fresh = bytes & (uint8_t)~known;
    if (fresh)
        add_part(granule, (struct part){fresh, false, make_variable(owner, granule, address, fresh),
                                        NO_ANCESTOR});
    struct seen seen = {.count = 0};
    for (int i = 0; i < MOST; i++)
        if (granule->list[i].bytes & bytes)
            visit_part(parts, &granule->list[i], write, &seen, visit, context);
}

/* ---- forgetting ---- */

static bool is_byte_variable(const struct granule_parts *granule, uint32_t variable) {
    return granule->byte_variables && variable - (granule->byte_variables - 1) < MOST;
}

void st_parts_forget(struct st_parts *parts, const struct st_parts_owner *owner, uint32_t number) {
    const struct granule_parts *granule = &parts->list[number];
    for (int i = 0; i < MOST && granule->list[i].bytes; i++)
        if (!is_byte_variable(granule, granule->list[i].variable))
            owner->forget(owner->context, granule->list[i].variable, 1);
    if (granule->byte_variables)
        owner->forget(owner->context, granule->byte_variables - 1, MOST);
    for (uint32_t a = granule->ancestors, before; a; a = before) {
        struct ancestor *ancestor = &parts->ancestors[a - 1];
        before = ancestor->before;
        owner->forget(owner->context, ancestor->variable, 1);
        ancestor->before = parts->free_ancestor;
        parts->free_ancestor = a;
    }
    st_reserve(&parts->free_list, &parts->free_capacity, parts->free_count + 1);
    parts->free_list[parts->free_count++] = number;
}
