/* Variables from inside: what variables.c and allocations.c share. */
#ifndef SERIATIM_WATCH_MEMORY_VARIABLE_TABLES_H
#define SERIATIM_WATCH_MEMORY_VARIABLE_TABLES_H

#include "base/bits.h"
#include "base/map64.h"
#include "base/memory.h"
#include "base/sparse_set.h"
#include "watch/memory/origins.h"
#include "watch/memory/parts.h"
#include "watch/memory/retired.h"
#include "watch/memory/variables.h"

enum { PAGE_BYTES = 1 << ST_PAGE_BITS };

/* As many as fit into two large pages of the system. */
enum { PAGES_AT_A_TIME = (4 << 20) / sizeof(struct st_page) };

/* Allocations of at least a page are kept in a list of their own. */
enum { LARGE = PAGE_BYTES };

/* Bits 36 to 63 of a granule: 1 + the number of the small allocation that starts in it, or 0. */
enum { ALLOCATION_SHIFT = 36 };
#define ALLOCATION_LIMIT ((UINT32_C(1) << 28) - 1)

struct allocation {
    uint64_t start, end;
    uint32_t origin;
};

/* Variables whose memory was freed: `granules` times as many as `count`, one behind the other. */
struct run {
    uint32_t first, granules;
    unsigned count;
};

struct st_variable_tables {
    struct st_map64 pages; /* by number */
    uint32_t *page_places; /* in the order of the map: 1 + index in memory; 0: nothing is there */
    size_t page_places_capacity;
    struct st_page **page_memory; /* of PAGES_AT_A_TIME pages each */
    size_t page_memory_capacity;
    uint32_t page_count;             /* in memory, those that are not used included */
    uint32_t unused_page;            /* 1 + index, or 0 */
    struct st_sparse_set live_pages; /* numbers of the pages that have members */

    struct st_origins variables;

    struct st_parts parts; /* of granules with ST_LAYOUT_PARTS */

    bool reusing;
    struct run *forgotten; /* since st_variables_recycle was last called */
    size_t forgotten_count, forgotten_capacity;
    struct st_retired retired;

    /* Small allocations: origin, length, and the offset of the start in its granule, in one word.
     * Equal ones share a number: there are few. */
    struct st_map64 small;
    /* Large ones, without overlap, so that at most one starts in a page. */
    struct st_map64 large_pages;
    struct allocation *large; /* in the order of that map */
    size_t large_capacity;
    struct st_sparse_set large_starts; /* numbers of the pages in which one starts */
};

/* ---- variables.c ---- */

struct st_page *st_page_find(const struct st_variables *variables, uint64_t number);
struct st_page *st_page_make(struct st_variables *variables, uint64_t number);

/* It has no members any more: its memory is for other pages. */
void st_page_give_back(struct st_variables *variables, struct st_page *page);

/* Adds a granule to a set of its page, and takes it out. */
void st_page_enter(struct st_variable_tables *tables, struct st_page *page, uint64_t *set,
                   size_t granule);
void st_page_leave(struct st_page *page, uint64_t *set, size_t granule);

/* The part of a page that lies in a range of memory. */
struct st_page_span {
    size_t first, end; /* granules */
};

struct st_page_span st_page_span(const struct st_page *page, uint64_t start, uint64_t end);

/* The next page from this number on, up to the last, that has members; NULL: there is none. */
struct st_page *st_page_next(const struct st_variables *variables, uint64_t number, uint64_t last);

static inline st_granule *granule_at(struct st_page *page, uint64_t address) {
    return &page->granules[address >> 3 & (ST_PAGE_GRANULES - 1)];
}

/* The same bytes are other variables from now on, and what happened to the old ones happened to
 * them: as if a part of a variable became one of its own. */
void st_granule_renew(struct st_variables *variables, uint64_t address, st_granule *granule);

/* ---- allocations.c ---- */

/* Up to 8 variables of a granule. */
unsigned st_granule_variables(const struct st_variables *variables, st_granule granule,
                              uint32_t found[8]);

#endif
