#include "watch/memory/variable_tables.h"

#include <stdlib.h>
#include <string.h>

void st_variables_init(struct st_variables *variables) {
    memset(variables, 0, sizeof *variables);
    struct st_variable_tables *tables = st_alloc(1, sizeof *tables);
    st_map64_init(&tables->pages);
    st_sparse_init(&tables->live_pages);
    st_map64_init(&tables->small);
    st_map64_init(&tables->large_pages);
    st_sparse_init(&tables->large_starts);
    st_retired_init(&tables->retired);
    variables->tables = tables;
    variables->cache = st_alloc(ST_PAGE_CACHE, sizeof *variables->cache);
}

void st_variables_free(struct st_variables *variables) {
    struct st_variable_tables *tables = variables->tables;
    if (!tables)
        return;
    for (size_t i = 0; i * PAGES_AT_A_TIME < tables->page_count; i++)
        st_free_table(tables->page_memory[i], PAGES_AT_A_TIME, sizeof(struct st_page));
    free(tables->page_memory);
    free(tables->page_places);
    st_map64_free(&tables->pages);
    st_sparse_free(&tables->live_pages);
    st_origins_free(&tables->variables);
    st_parts_free(&tables->parts);
    free(tables->forgotten);
    st_retired_free(&tables->retired);
    st_map64_free(&tables->small);
    st_map64_free(&tables->large_pages);
    free(tables->large);
    st_sparse_free(&tables->large_starts);
    free(tables);
    free(variables->cache);
    variables->tables = NULL;
    variables->cache = NULL;
}

uint32_t st_variables_count(const struct st_variables *variables) {
    return variables->tables->variables.count;
}

/* ---- pages ---- */

static struct st_page *page_at(const struct st_variable_tables *tables, uint32_t index) {
    return &tables->page_memory[index / PAGES_AT_A_TIME][index % PAGES_AT_A_TIME];
}

struct st_page *st_page_find(const struct st_variables *variables, uint64_t number) {
    const struct st_cached_page *cached = &variables->cache[number % ST_PAGE_CACHE];
    if (cached->page && cached->number == number)
        return cached->page;
    uint32_t known = st_map64_find(&variables->tables->pages, number);
    uint32_t place = known == ST_MAP64_NONE ? 0 : variables->tables->page_places[known];
    return place ? page_at(variables->tables, place - 1) : NULL;
}

/* Memory for many pages at a time, which the system puts on large pages of its own. */
static struct st_page *new_page(struct st_variable_tables *tables) {
    if (tables->unused_page) {
        uint32_t index = tables->unused_page - 1;
        struct st_page *page = page_at(tables, index);
        tables->unused_page = page->index;
        page->index = index;
        return page;
    }
    size_t memory = tables->page_count / PAGES_AT_A_TIME;
    st_reserve(&tables->page_memory, &tables->page_memory_capacity, memory + 1);
    if (!tables->page_memory[memory])
        tables->page_memory[memory] = st_alloc_table(PAGES_AT_A_TIME, sizeof(struct st_page));
    struct st_page *page = page_at(tables, tables->page_count);
    page->index = tables->page_count++;
    return page;
}

struct st_page *st_page_make(struct st_variables *variables, uint64_t number) {
    struct st_variable_tables *tables = variables->tables;
    struct st_cached_page *cached = &variables->cache[number % ST_PAGE_CACHE];
    if (cached->page && cached->number == number)
        return cached->page;
    uint32_t known = st_map64_number(&tables->pages, number);
    st_reserve(&tables->page_places, &tables->page_places_capacity, (size_t)known + 1);
    uint32_t place = tables->page_places[known];
    struct st_page *page = place ? page_at(tables, place - 1) : new_page(tables);
    page->number = number;
    tables->page_places[known] = page->index + 1;
    *cached = (struct st_cached_page){number, page};
    return page;
}

/* It has no members any more: its memory is for other pages. */
void st_page_give_back(struct st_variables *variables, struct st_page *page) {
    struct st_variable_tables *tables = variables->tables;
    struct st_cached_page *cached = &variables->cache[page->number % ST_PAGE_CACHE];
    if (cached->page == page)
        cached->page = NULL;
    tables->page_places[st_map64_find(&tables->pages, page->number)] = 0;
    st_sparse_remove(&tables->live_pages, page->number);
    uint32_t index = page->index;
    page->index = tables->unused_page;
    tables->unused_page = index + 1;
}

/* Adds a granule to a set of its page. */
void st_page_enter(struct st_variable_tables *tables, struct st_page *page, uint64_t *set,
                   size_t granule) {
    if (st_bit_test(set, granule))
        return;
    st_bit_set(set, granule);
    if (page->members++ == 0)
        st_sparse_add(&tables->live_pages, page->number);
}

void st_page_leave(struct st_page *page, uint64_t *set, size_t granule) {
    st_bit_clear(set, granule);
    page->members--;
}

struct st_page_span st_page_span(const struct st_page *page, uint64_t start, uint64_t end) {
    uint64_t low = page->number << ST_PAGE_BITS;
    return (struct st_page_span){.first = start > low ? (start - low) >> 3 : 0,
                                 .end = end - low < PAGE_BYTES ? (end - low + 7) >> 3
                                                               : ST_PAGE_GRANULES};
}

/* The next page from this number on, up to the last, that has members; NULL: there is none. */
struct st_page *st_page_next(const struct st_variables *variables, uint64_t number, uint64_t last) {
    if (number < last)
        number = st_sparse_next(&variables->tables->live_pages, number);
    return number <= last ? st_page_find(variables, number) : NULL;
}

static void set_granule(st_granule *granule, enum st_layout layout, uint32_t base) {
    *granule = (*granule >> ALLOCATION_SHIFT << ALLOCATION_SHIFT) | (uint64_t)layout << 32 | base;
}

/* ---- variables ---- */

/* The name of a variable, or rather what it is made of, as a number below 2^58. */
enum { ORIGIN_LIMIT = 1 << 25 };
#define ADDRESS_LIMIT (UINT64_C(1) << 57)

static uint64_t name_of(const struct st_origin *origin) {
    return origin->origin ? (uint64_t)origin->origin << 32 | origin->offset
                          : ADDRESS_LIMIT | origin->address;
}

/* Are these variables all in one allocation, or all in none, and have a name as above? */
static bool are_together(const struct st_origin *first, const struct st_origin *last) {
    return first->origin == last->origin && first->origin < ORIGIN_LIMIT &&
           first->address < ADDRESS_LIMIT &&
           (!first->origin || last->offset - first->offset == last->address - first->address);
}

/* Takes over the numbers of variables that were forgotten, if there are any of the same names. */
static uint32_t reuse(struct st_variables *variables, struct st_data_place place, unsigned size,
                      unsigned count) {
    struct st_variable_tables *tables = variables->tables;
    struct st_data_place end = place;
    if (count > 1 && place.origin)
        end = st_variables_place(variables, place.address + (count - 1) * size);
    struct st_origin first = {place.address, place.origin, (uint32_t)place.offset};
    struct st_origin last = {end.address, end.origin, (uint32_t)end.offset};
    if (!are_together(&first, &last))
        return ST_VARIABLE_NONE;
    uint32_t number = st_retired_take(&tables->retired, name_of(&first), count);
    for (unsigned i = 0; i < count && number != ST_VARIABLE_NONE; i++)
        st_origins_move(&tables->variables, number + i, place.address + i * size);
    return number;
}

/* `count` of them, one behind the other, of `size` bytes each. Returns the first. */
static uint32_t make_variables(struct st_variables *variables, uint64_t address, unsigned size,
                               unsigned count) {
    struct st_variable_tables *tables = variables->tables;
    uint32_t first = tables->variables.count;
    struct st_data_place place = st_variables_place(variables, address);
    if (tables->reusing) {
        uint32_t number = reuse(variables, place, size, count);
        if (number != ST_VARIABLE_NONE)
            return number;
    }
    for (unsigned i = 0; i < count; i++) {
        struct st_data_place at = {place.address + i * size, place.origin, place.offset + i * size};
        if (i && place.origin) /* the next allocation may start in the same granule */
            at = st_variables_place(variables, at.address);
        st_origins_add(&tables->variables,
                       (struct st_origin){at.address, at.origin, (uint32_t)at.offset});
    }
    return first;
}

static uint8_t bytes_of(unsigned offset, unsigned size) {
    return (uint8_t)(((1u << size) - 1) << offset);
}

static uint32_t make_for_parts(void *context, uint64_t address, unsigned size, unsigned count) {
    return make_variables(context, address, size, count);
}

static void forget_for_parts(void *context, uint32_t first, unsigned count);

static struct st_parts_owner owner_of_parts(struct st_variables *variables) {
    return (struct st_parts_owner){variables, make_for_parts, forget_for_parts, variables->split,
                                   variables->split_context};
}

/* A granule with a layout, or without one, becomes one with parts. */
static uint32_t divide(struct st_parts *parts, st_granule *granule) {
    unsigned layout = st_granule_layout(*granule);
    if (layout != ST_LAYOUT_PARTS)
        set_granule(granule, ST_LAYOUT_PARTS,
                    st_parts_add(parts, layout == ST_LAYOUT_NONE ? 0 : 1u << (layout - 1),
                                 st_granule_base(*granule)));
    return st_granule_base(*granule);
}

static void touch_parts(struct st_variables *variables, uint64_t address, st_granule *granule,
                        uint8_t bytes, bool write, st_visit *visit, void *context) {
    struct st_parts *parts = &variables->tables->parts;
    struct st_parts_owner owner = owner_of_parts(variables);
    st_parts_touch(parts, &owner, divide(parts, granule), address, bytes, write, visit, context);
}

void st_granule_renew(struct st_variables *variables, uint64_t address, st_granule *granule) {
    unsigned layout = st_granule_layout(*granule);
    if (variables->split && layout != ST_LAYOUT_PARTS) { /* it keeps its layout, which is faster */
        unsigned size = 1u << (layout - 1);
        uint32_t old = st_granule_base(*granule);
        uint32_t new = make_variables(variables, address, size, 8 / size);
        set_granule(granule, (enum st_layout)layout, new);
        for (unsigned i = 0; i < 8 / size; i++)
            variables->split(variables->split_context, old + i, new + i);
        return;
    }
    struct st_parts *parts = &variables->tables->parts;
    struct st_parts_owner owner = owner_of_parts(variables);
    st_parts_renew(parts, &owner, divide(parts, granule), address);
}

/* The layout for a first access to these bytes; ST_LAYOUT_PARTS if none fits. */
static enum st_layout layout_for(unsigned offset, unsigned size) {
    if ((size & (size - 1)) || (offset & (size - 1)))
        return ST_LAYOUT_PARTS;
    return (enum st_layout)(1 + __builtin_ctz(size));
}

static void touch_granule(struct st_variables *variables, uint64_t address, unsigned size,
                          bool write, st_visit *visit, void *context) {
    uint64_t start = address & ~UINT64_C(7);
    unsigned offset = address & 7;
    struct st_page *page = st_page_make(variables, address >> ST_PAGE_BITS);
    st_granule *granule = granule_at(page, address);
    unsigned layout = st_granule_layout(*granule);
    if (layout == ST_LAYOUT_NONE) {
        st_page_enter(variables->tables, page, page->used, (size_t)(granule - page->granules));
        layout = layout_for(offset, size);
        if (layout != ST_LAYOUT_PARTS)
            set_granule(granule, (enum st_layout)layout,
                        make_variables(variables, start, size, 8 / size));
    }
    unsigned of = layout == ST_LAYOUT_PARTS ? 0 : 1u << (layout - 1);
    if (of && of <= size && !(offset & (of - 1)) && !(size & (of - 1))) {
        for (unsigned i = 0; i < size; i += of)
            visit(context, st_granule_base(*granule) + (offset + i) / of, write);
        return;
    }
    touch_parts(variables, start, granule, bytes_of(offset, size), write, visit, context);
}

void st_variables_touch(struct st_variables *variables, uint64_t address, uint64_t length,
                        bool write, st_visit *visit, void *context) {
    uint64_t end = address + length;
    while (address < end) {
        uint64_t next = (address | 7) + 1;
        if (next > end)
            next = end;
        touch_granule(variables, address, (unsigned)(next - address), write, visit, context);
        address = next;
    }
}

/* ---- forgetting ---- */

static void forget_variables(struct st_variable_tables *tables, uint32_t first, unsigned count) {
    if (!tables->reusing)
        return;
    if (tables->forgotten_count) {
        struct run *last = &tables->forgotten[tables->forgotten_count - 1];
        if (last->count == count && last->first + last->granules * count == first) {
            last->granules++;
            return;
        }
    }
    st_reserve(&tables->forgotten, &tables->forgotten_capacity, tables->forgotten_count + 1);
    tables->forgotten[tables->forgotten_count++] = (struct run){first, 1, count};
}

static void forget_for_parts(void *context, uint32_t first, unsigned count) {
    const struct st_variables *variables = context;
    forget_variables(variables->tables, first, count);
}

static void forget_granule(struct st_variables *variables, st_granule *granule) {
    struct st_variable_tables *tables = variables->tables;
    struct st_parts_owner owner = owner_of_parts(variables);
    unsigned layout = st_granule_layout(*granule);
    if (layout == ST_LAYOUT_PARTS)
        st_parts_forget(&tables->parts, &owner, st_granule_base(*granule));
    else if (layout != ST_LAYOUT_NONE)
        forget_variables(tables, st_granule_base(*granule), 8u >> (layout - 1));
    set_granule(granule, ST_LAYOUT_NONE, 0);
}

void st_variables_reuse(struct st_variables *variables) {
    variables->tables->reusing = true;
}

static void retire(struct st_variable_tables *tables, uint32_t first, unsigned count) {
    struct st_origin start = st_origins_get(&tables->variables, first);
    struct st_origin last = st_origins_get(&tables->variables, first + count - 1);
    if (are_together(&start, &last))
        st_retired_put(&tables->retired, name_of(&start), count, first);
}

void st_variables_recycle(struct st_variables *variables,
                          void (*forget)(void *context, uint32_t variable), void *context) {
    struct st_variable_tables *tables = variables->tables;
    for (size_t i = 0; i < tables->forgotten_count; i++) {
        struct run run = tables->forgotten[i];
        for (uint32_t j = 0; j < run.granules * run.count; j++)
            forget(context, run.first + j);
        for (uint32_t j = 0; j < run.granules; j++)
            retire(tables, run.first + j * run.count, run.count);
    }
    tables->forgotten_count = 0;
}

static void forget_in_page(struct st_variables *variables, struct st_page *page,
                           struct st_page_span span) {
    size_t i = st_bit_next(page->used, span.first, span.end);
    for (; i < span.end; i = st_bit_next(page->used, i, span.end)) {
        forget_granule(variables, &page->granules[i]);
        st_page_leave(page, page->used, i);
    }
    if (!page->members)
        st_page_give_back(variables, page);
}

void st_variables_forget(struct st_variables *variables, uint64_t address, uint64_t length) {
    uint64_t end = address + length;
    if (length == 0 || end < address)
        return;
    uint64_t last = (end - 1) >> ST_PAGE_BITS;
    struct st_page *page = st_page_next(variables, address >> ST_PAGE_BITS, last);
    for (uint64_t number; page; page = st_page_next(variables, number + 1, last)) {
        number = page->number;
        forget_in_page(variables, page, st_page_span(page, address, end));
    }
}
