#include "check/witness/state_pages.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SORTS = 16, NO_SORT = 0 };

/* The accesses of one kind, reads or writes. Either all variables have one of the same sort, with
 * numbers at equal distances; or `list` has them. */
struct packed_kind {
    uint64_t first;    /* number of the first, or the smallest */
    uint64_t distance; /* modulo 2^64 */
    uint8_t sort;      /* 1 + index of the sort; NO_SORT: no variable has such an access */
    struct packed_list *list;
};

/* By variable: 1 + index of the sort, or NO_SORT; and the number, counted from `first`. */
struct packed_list {
    uint8_t sorts[ST_PAGE_STATES];
    uint32_t numbers[ST_PAGE_STATES];
};

/* Accesses that differ in nothing but their numbers are of one sort. */
struct st_packed_page {
    struct packed_kind kinds[2]; /* ST_READ, ST_WRITE */
    uint32_t sort_count;
    struct st_last_access sorts[]; /* without numbers */
};

/* ---- packing ---- */

struct packing {
    struct st_last_access sorts[MOST_SORTS];
    uint32_t sort_count;
    uint8_t of[2][ST_PAGE_STATES]; /* like packed_list.sorts */
};

/* The access without its number. */
static struct st_last_access sort_of(const struct st_last_access *access) {
    struct st_event event = st_access_event(access, ST_READ); /* of either kind */
    return st_access_make(&event, event.thread, 0);
}

/* False: there are too many. */
static bool sort_access(struct packing *packing, const struct st_last_access *access, uint8_t *of) {
    struct st_last_access sort = sort_of(access);
    uint32_t i = 0;
    while (i < packing->sort_count &&
           (packing->sorts[i].when != sort.when || packing->sorts[i].what != sort.what))
        i++;
    if (i == MOST_SORTS)
        return false;
    if (i == packing->sort_count)
        packing->sorts[packing->sort_count++] = sort;
    *of = (uint8_t)(i + 1);
    return true;
}

static bool sort_variables(struct packing *packing, const struct st_variable_state *variables,
                           const uint64_t *live) {
    for (size_t x = 0; x < ST_PAGE_STATES; x++) {
        if (st_has_several_readers(&variables[x]))
            return false;
        for (int kind = ST_READ; kind <= ST_WRITE; kind++) {
            const struct st_last_access *access = &variables[x].slot[kind];
            bool matters = access->when >= live[st_access_thread(access)];
            if (matters && !sort_access(packing, access, &packing->of[kind][x]))
                return false;
        }
    }
    return true;
}

static uint64_t number_of(const struct st_variable_state *variable, int kind) {
    return st_access_number(&variable->slot[kind]);
}

static bool is_regular(const struct packing *packing, const struct st_variable_state *variables,
                       int kind) {
    uint64_t first = number_of(&variables[0], kind);
    uint64_t distance = number_of(&variables[1], kind) - first;
    for (size_t x = 0; x < ST_PAGE_STATES; x++)
        if (packing->of[kind][x] != packing->of[kind][0] ||
            number_of(&variables[x], kind) != first + x * distance)
            return false;
    return true;
}

/* False: their numbers are too far apart. */
static bool list_kind(struct packed_kind *packed, const struct packing *packing,
                      const struct st_variable_state *variables, int kind) {
    struct packed_list *list = st_alloc(1, sizeof *list);
    packed->list = list;
    packed->first = UINT64_MAX;
    memcpy(list->sorts, packing->of[kind], sizeof list->sorts);
    for (size_t x = 0; x < ST_PAGE_STATES; x++)
        if (list->sorts[x] && number_of(&variables[x], kind) < packed->first)
            packed->first = number_of(&variables[x], kind);
    for (size_t x = 0; x < ST_PAGE_STATES; x++) {
        uint64_t number = list->sorts[x] ? number_of(&variables[x], kind) - packed->first : 0;
        if (number > UINT32_MAX)
            return false;
        list->numbers[x] = (uint32_t)number;
    }
    return true;
}

static bool pack_kind(struct packed_kind *packed, const struct packing *packing,
                      const struct st_variable_state *variables, int kind) {
    static const uint8_t none[ST_PAGE_STATES];
    if (memcmp(packing->of[kind], none, sizeof none) == 0)
        return true;
    if (!is_regular(packing, variables, kind))
        return list_kind(packed, packing, variables, kind);
    packed->sort = packing->of[kind][0];
    packed->first = number_of(&variables[0], kind);
    packed->distance = number_of(&variables[1], kind) - packed->first;
    return true;
}

struct st_packed_page *st_page_pack(const struct st_variable_state *variables, const uint64_t *live,
                                    bool *empty) {
    struct packing packing = {.sort_count = 0};
    *empty = false;
    if (!sort_variables(&packing, variables, live))
        return NULL;
    *empty = packing.sort_count == 0;
    if (*empty)
        return NULL;
    size_t bytes = packing.sort_count * sizeof *packing.sorts;
    struct st_packed_page *page = st_alloc(1, sizeof *page + bytes);
    page->sort_count = packing.sort_count;
    memcpy(page->sorts, packing.sorts, bytes);
    if (pack_kind(&page->kinds[ST_READ], &packing, variables, ST_READ) &&
        pack_kind(&page->kinds[ST_WRITE], &packing, variables, ST_WRITE))
        return page;
    st_packed_page_free(page);
    return NULL;
}

void st_packed_page_free(struct st_packed_page *page) {
    if (!page)
        return;
    free(page->kinds[ST_READ].list);
    free(page->kinds[ST_WRITE].list);
    free(page);
}

size_t st_packed_page_memory(const struct st_packed_page *page) {
    return sizeof *page + page->sort_count * sizeof *page->sorts +
           ((page->kinds[ST_READ].list != NULL) + (page->kinds[ST_WRITE].list != NULL)) *
               sizeof(struct packed_list);
}

/* ---- unpacking ---- */

/* The access of that kind to a variable, if there is one. */
static struct st_last_access unpack_access(const struct st_packed_page *page, int kind, size_t x) {
    const struct packed_kind *packed = &page->kinds[kind];
    uint8_t sort = packed->list ? packed->list->sorts[x] : packed->sort;
    if (sort == NO_SORT)
        return (struct st_last_access){0};
    struct st_last_access access = page->sorts[sort - 1];
    access.when |= packed->first + (packed->list ? packed->list->numbers[x] : x * packed->distance);
    return access;
}

void st_page_unpack(const struct st_packed_page *page, struct st_variable_state *variables) {
    for (size_t x = 0; x < ST_PAGE_STATES; x++)
        for (int kind = ST_READ; kind <= ST_WRITE; kind++)
            variables[x].slot[kind] = unpack_access(page, kind, x);
}
