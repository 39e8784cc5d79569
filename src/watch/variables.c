#include "watch/variables.h"

#include "base/bits.h"
#include "base/map64.h"
#include "base/memory.h"
#include "base/sparse_set.h"
#include "watch/memory/origins.h"
#include "watch/memory/retired.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 1 << ST_PAGE_BITS, NO_ANCESTOR = 0 };

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

/* One that a part comes from, and the one before. */
struct ancestor {
    uint32_t variable;
    uint32_t next;   /* 1 + index, or NO_ANCESTOR */
    uint32_t before; /* the same, of the one that was made before it in this granule */
};

/* Bytes of a granule that are one variable. */
struct part {
    uint8_t bytes; /* bit by offset; 0: no more parts */
    uint32_t variable;
    uint32_t ancestors; /* 1 + index of the first, or NO_ANCESTOR */
};

struct parts {
    struct part list[8];
    uint32_t ancestors; /* 1 + index of the last that was made in this granule, or NO_ANCESTOR */
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

    struct parts *parts;
    size_t parts_count, parts_capacity;
    uint32_t *free_parts;
    size_t free_parts_count, free_parts_capacity;

    struct ancestor *ancestors;
    size_t ancestor_count, ancestor_capacity;
    uint32_t free_ancestor; /* 1 + index; the next one is its `before` */

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
    free(tables->parts);
    free(tables->free_parts);
    free(tables->ancestors);
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

static struct st_page *find_page(const struct st_variables *variables, uint64_t number) {
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

static struct st_page *make_page(struct st_variables *variables, uint64_t number) {
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
static void leave_page(struct st_variables *variables, struct st_page *page) {
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
static void enter(struct st_variable_tables *tables, struct st_page *page, uint64_t *set,
                  size_t granule) {
    if (st_bit_test(set, granule))
        return;
    st_bit_set(set, granule);
    if (page->members++ == 0)
        st_sparse_add(&tables->live_pages, page->number);
}

static void leave(struct st_page *page, uint64_t *set, size_t granule) {
    st_bit_clear(set, granule);
    page->members--;
}

/* The part of a page that lies in a range of memory. */
struct span {
    size_t first, end; /* granules */
};

static struct span span_of(const struct st_page *page, uint64_t start, uint64_t end) {
    uint64_t low = page->number << ST_PAGE_BITS;
    return (struct span){.first = start > low ? (start - low) >> 3 : 0,
                         .end = end - low < PAGE_BYTES ? (end - low + 7) >> 3 : ST_PAGE_GRANULES};
}

/* The next page from this number on, up to the last, that has members; NULL: there is none. */
static struct st_page *next_page(const struct st_variables *variables, uint64_t number,
                                 uint64_t last) {
    if (number < last)
        number = st_sparse_next(&variables->tables->live_pages, number);
    return number <= last ? find_page(variables, number) : NULL;
}

static st_granule *granule_at(struct st_page *page, uint64_t address) {
    return &page->granules[address >> 3 & (ST_PAGE_GRANULES - 1)];
}

static void set_granule(st_granule *granule, enum st_layout layout, uint32_t base) {
    *granule = (*granule >> ALLOCATION_SHIFT << ALLOCATION_SHIFT) | (uint64_t)layout << 32 | base;
}

/* ---- allocations ---- */

/* 1 + the number of a small allocation; 0 when there are too many. */
static uint64_t small_number(struct st_variable_tables *tables, uint64_t address, uint64_t length,
                             uint32_t origin) {
    uint64_t id = (uint64_t)origin << 32 | length << 16 | (address & 7);
    uint32_t number = st_map64_number(&tables->small, id);
    return number < ALLOCATION_LIMIT ? number + 1 : 0;
}

static void clear_small_in_page(struct st_variables *variables, struct st_page *page,
                                struct span span) {
    size_t i = st_bit_next(page->starts, span.first, span.end);
    for (; i < span.end; i = st_bit_next(page->starts, i, span.end)) {
        page->granules[i] &= (UINT64_C(1) << ALLOCATION_SHIFT) - 1;
        leave(page, page->starts, i);
    }
    if (!page->members)
        leave_page(variables, page);
}

/* Nothing that was allocated in the range before is there any more. */
static void clear_small(struct st_variables *variables, uint64_t start, uint64_t end) {
    uint64_t first = start >> ST_PAGE_BITS, last = (end - 1) >> ST_PAGE_BITS;
    struct st_page *page = next_page(variables, first, last);
    for (uint64_t number; page; page = next_page(variables, number + 1, last)) {
        number = page->number;
        clear_small_in_page(variables, page, span_of(page, start, end));
    }
}

static struct allocation large_at(const struct st_variable_tables *tables, uint64_t page) {
    return tables->large[st_map64_find(&tables->large_pages, page)];
}

/* The large allocation that holds the address; false: none does. */
static bool find_large(const struct st_variable_tables *tables, uint64_t address,
                       struct allocation *found) {
    uint64_t page = st_sparse_last(&tables->large_starts, address >> ST_PAGE_BITS);
    if (page == address >> ST_PAGE_BITS && page && large_at(tables, page).start > address)
        page = st_sparse_last(&tables->large_starts, page - 1);
    if (page == ST_SPARSE_NONE)
        return false;
    *found = large_at(tables, page);
    return address >= found->start && address < found->end;
}

static void clear_large(struct st_variable_tables *tables, uint64_t start, uint64_t end) {
    struct st_sparse_set *starts = &tables->large_starts;
    struct allocation found;
    if (find_large(tables, start, &found))
        st_sparse_remove(starts, found.start >> ST_PAGE_BITS);
    uint64_t page = st_sparse_next(starts, start >> ST_PAGE_BITS);
    for (; page <= (end - 1) >> ST_PAGE_BITS; page = st_sparse_next(starts, page + 1)) {
        uint64_t at = large_at(tables, page).start;
        if (at >= start && at < end)
            st_sparse_remove(starts, page);
    }
}

static void add_large(struct st_variable_tables *tables, struct allocation allocation) {
    uint64_t page = allocation.start >> ST_PAGE_BITS;
    uint32_t index = st_map64_number(&tables->large_pages, page);
    st_reserve(&tables->large, &tables->large_capacity, (size_t)index + 1);
    tables->large[index] = allocation;
    st_sparse_add(&tables->large_starts, page);
}

/* The last small allocation that starts in the page at or before the address; false: none does. */
static bool find_small(const struct st_variable_tables *tables, const struct st_page *page,
                       uint64_t address, struct allocation *found) {
    unsigned at = address >> 3 & (ST_PAGE_GRANULES - 1), word = at / 64;
    uint64_t bits = page->starts[word] & UINT64_MAX >> (63 - at % 64);
    while (!bits && word)
        bits = page->starts[--word];
    if (!bits)
        return false;
    unsigned i = 64 * word + 63 - (unsigned)__builtin_clzll(bits);
    uint64_t id = tables->small.ids[(page->granules[i] >> ALLOCATION_SHIFT) - 1];
    uint64_t start = (page->number << ST_PAGE_BITS) + 8 * (uint64_t)i + (id & 7);
    *found = (struct allocation){start, start + (id >> 16 & UINT16_MAX), (uint32_t)(id >> 32)};
    return true;
}

/* The small allocation that holds the address; false: none does. */
static bool small_at(const struct st_variables *variables, uint64_t address,
                     struct allocation *found) {
    const struct st_variable_tables *tables = variables->tables;
    uint64_t number = address >> ST_PAGE_BITS;
    const struct st_page *page = find_page(variables, number);
    bool known = page && find_small(tables, page, address, found);
    if (!known && (page = find_page(variables, number - 1)))
        known = find_small(tables, page, (number << ST_PAGE_BITS) - 1, found);
    return known && address >= found->start && address < found->end;
}

static bool find_allocation(const struct st_variables *variables, uint64_t address,
                            struct allocation *found) {
    return small_at(variables, address, found) || find_large(variables->tables, address, found);
}

void st_variables_allocate(struct st_variables *variables, uint64_t address, uint64_t length,
                           uint32_t origin) {
    struct st_variable_tables *tables = variables->tables;
    if (length == 0 || address + length < address)
        return;
    clear_small(variables, address, address + length);
    clear_large(tables, address, address + length);
    if (length >= LARGE) {
        struct allocation freed; /* reaches into it */
        if (small_at(variables, address, &freed))
            clear_small(variables, freed.start, freed.start + 1);
        add_large(tables, (struct allocation){address, address + length, origin});
        return;
    }
    struct st_page *page = make_page(variables, address >> ST_PAGE_BITS);
    unsigned i = address >> 3 & (ST_PAGE_GRANULES - 1);
    uint64_t number = small_number(tables, address, length, origin);
    page->granules[i] |= number << ALLOCATION_SHIFT;
    if (number)
        enter(tables, page, page->starts, i);
}

struct st_data_place st_variables_place(const struct st_variables *variables, uint64_t generation) {
    uint64_t address = generation & ST_VARIABLE_ADDRESS;
    struct allocation allocation;
    if (!find_allocation(variables, address, &allocation))
        return (struct st_data_place){.address = address};
    return (struct st_data_place){address, allocation.origin, address - allocation.start};
}

struct st_data_place st_variables_place_of(const struct st_variables *variables, uint32_t number) {
    struct st_origin origin = st_origins_get(&variables->tables->variables, number);
    return (struct st_data_place){origin.address, origin.origin, origin.offset};
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

static uint32_t take_parts(struct st_variable_tables *tables) {
    if (tables->free_parts_count)
        return tables->free_parts[--tables->free_parts_count];
    st_reserve(&tables->parts, &tables->parts_capacity, tables->parts_count + 1);
    return (uint32_t)tables->parts_count++;
}

static void give_parts(struct st_variable_tables *tables, uint32_t number) {
    st_reserve(&tables->free_parts, &tables->free_parts_capacity, tables->free_parts_count + 1);
    tables->free_parts[tables->free_parts_count++] = number;
}

static uint32_t take_ancestor(struct st_variable_tables *tables) {
    uint32_t number = tables->free_ancestor;
    if (number) {
        tables->free_ancestor = tables->ancestors[number - 1].before;
        return number;
    }
    st_reserve(&tables->ancestors, &tables->ancestor_capacity, tables->ancestor_count + 1);
    return (uint32_t)++tables->ancestor_count;
}

static void add_part(struct parts *parts, struct part part) {
    int i = 0;
    while (parts->list[i].bytes)
        i++;
    parts->list[i] = part;
}

/* Turns a granule with a layout, or without one, into one with parts. */
static uint32_t divide(struct st_variables *variables, st_granule *granule) {
    struct st_variable_tables *tables = variables->tables;
    unsigned layout = st_granule_layout(*granule);
    if (layout == ST_LAYOUT_PARTS)
        return st_granule_base(*granule);
    uint32_t number = take_parts(tables);
    memset(&tables->parts[number], 0, sizeof tables->parts[number]);
    if (layout != ST_LAYOUT_NONE) {
        unsigned size = 1u << (layout - 1);
        for (unsigned i = 0; i < 8 / size; i++)
            tables->parts[number].list[i] =
                (struct part){bytes_of(i * size, size), st_granule_base(*granule) + i, NO_ANCESTOR};
    }
    set_granule(granule, ST_LAYOUT_PARTS, number);
    return number;
}

static uint32_t lowest(uint8_t bytes) {
    return (uint32_t)__builtin_ctz(bytes);
}

/* A part that the access covers in part: what is covered and what is not are parts of their own
 * from now on. */
static void split_part(struct st_variables *variables, uint64_t address, uint32_t number, int i,
                       uint8_t bytes) {
    struct st_variable_tables *tables = variables->tables;
    struct part old = tables->parts[number].list[i];
    uint32_t ancestors = take_ancestor(tables);
    tables->ancestors[ancestors - 1] =
        (struct ancestor){old.variable, old.ancestors, tables->parts[number].ancestors};
    tables->parts[number].ancestors = ancestors;
    if (variables->split)
        ancestors = NO_ANCESTOR;
    uint8_t inside = old.bytes & bytes, outside = old.bytes & (uint8_t)~bytes;
    struct part in = {inside, make_variables(variables, address + lowest(inside), 0, 1), ancestors};
    struct part out = {outside, make_variables(variables, address + lowest(outside), 0, 1),
                       ancestors};
    tables->parts[number].list[i] = in;
    add_part(&tables->parts[number], out);
    if (variables->split) {
        variables->split(variables->split_context, old.variable, in.variable);
        variables->split(variables->split_context, old.variable, out.variable);
    }
}

static void visit_part(const struct st_variable_tables *tables, struct part *part, bool write,
                       st_visit *visit, void *context) {
    for (uint32_t a = part->ancestors; a; a = tables->ancestors[a - 1].next)
        visit(context, tables->ancestors[a - 1].variable, false);
    if (write)
        part->ancestors = NO_ANCESTOR;
    visit(context, part->variable, write);
}

static void touch_parts(struct st_variables *variables, uint64_t address, st_granule *granule,
                        uint8_t bytes, bool write, st_visit *visit, void *context) {
    struct st_variable_tables *tables = variables->tables;
    uint32_t number = divide(variables, granule);
    uint8_t known = 0;
    for (int i = 0; i < 8 && tables->parts[number].list[i].bytes; i++) {
        uint8_t part = tables->parts[number].list[i].bytes;
        known |= part;
        if ((part & bytes) && (part & ~bytes))
            split_part(variables, address, number, i, bytes);
    }
    uint8_t fresh = bytes & (uint8_t)~known;
    if (fresh)
        add_part(&tables->parts[number],
                 (struct part){fresh, make_variables(variables, address + lowest(fresh), 0, 1),
                               NO_ANCESTOR});
    for (int i = 0; i < 8; i++) {
        struct part *part = &tables->parts[number].list[i];
        if (part->bytes & bytes)
            visit_part(tables, part, write, visit, context);
    }
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
    struct st_page *page = make_page(variables, address >> ST_PAGE_BITS);
    st_granule *granule = granule_at(page, address);
    unsigned layout = st_granule_layout(*granule);
    if (layout == ST_LAYOUT_NONE) {
        enter(variables->tables, page, page->used, (size_t)(granule - page->granules));
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

static void forget_parts(struct st_variable_tables *tables, uint32_t number) {
    const struct parts *parts = &tables->parts[number];
    for (int i = 0; i < 8 && parts->list[i].bytes; i++)
        forget_variables(tables, parts->list[i].variable, 1);
    for (uint32_t a = parts->ancestors, before; a; a = before) {
        struct ancestor *ancestor = &tables->ancestors[a - 1];
        before = ancestor->before;
        forget_variables(tables, ancestor->variable, 1);
        ancestor->before = tables->free_ancestor;
        tables->free_ancestor = a;
    }
    give_parts(tables, number);
}

static void forget_granule(struct st_variable_tables *tables, st_granule *granule) {
    unsigned layout = st_granule_layout(*granule);
    if (layout == ST_LAYOUT_PARTS)
        forget_parts(tables, st_granule_base(*granule));
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

static void forget_in_page(struct st_variables *variables, struct st_page *page, struct span span) {
    size_t i = st_bit_next(page->used, span.first, span.end);
    for (; i < span.end; i = st_bit_next(page->used, i, span.end)) {
        forget_granule(variables->tables, &page->granules[i]);
        leave(page, page->used, i);
    }
    if (!page->members)
        leave_page(variables, page);
}

void st_variables_forget(struct st_variables *variables, uint64_t address, uint64_t length) {
    uint64_t end = address + length;
    if (length == 0 || end < address)
        return;
    uint64_t last = (end - 1) >> ST_PAGE_BITS;
    struct st_page *page = next_page(variables, address >> ST_PAGE_BITS, last);
    for (uint64_t number; page; page = next_page(variables, number + 1, last)) {
        number = page->number;
        forget_in_page(variables, page, span_of(page, address, end));
    }
}
