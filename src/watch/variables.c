#include "watch/variables.h"

#include "base/bits.h"
#include "base/lower_bound.h"
#include "base/map64.h"
#include "base/memory.h"
#include "watch/retired.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 1 << ST_PAGE_BITS, PAGES_AT_A_TIME = 1000, NO_ANCESTOR = 0 };

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

/* Variables, one behind the other, whose memory was freed. */
struct run {
    uint32_t first, count;
};

/* Of a variable. */
struct origin {
    uint64_t address;
    uint32_t origin, offset;
};

struct st_variable_tables {
    struct st_map64 pages;        /* by number */
    struct st_page **page_memory; /* of PAGES_AT_A_TIME pages each, in the order of the map */
    size_t page_memory_capacity;

    struct origin *variables;
    size_t variable_count, variable_capacity;

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
    struct allocation *large; /* by start, without overlap */
    size_t large_count, large_capacity;
};

void st_variables_init(struct st_variables *variables) {
    memset(variables, 0, sizeof *variables);
    struct st_variable_tables *tables = st_alloc(1, sizeof *tables);
    st_map64_init(&tables->pages);
    st_map64_init(&tables->small);
    st_retired_init(&tables->retired);
    variables->tables = tables;
    variables->cache = st_alloc(ST_PAGE_CACHE, sizeof *variables->cache);
}

void st_variables_free(struct st_variables *variables) {
    struct st_variable_tables *tables = variables->tables;
    if (!tables)
        return;
    for (size_t i = 0; i * PAGES_AT_A_TIME < tables->pages.count; i++)
        st_free_table(tables->page_memory[i], PAGES_AT_A_TIME, sizeof(struct st_page));
    free(tables->page_memory);
    st_map64_free(&tables->pages);
    free(tables->variables);
    free(tables->parts);
    free(tables->free_parts);
    free(tables->ancestors);
    free(tables->forgotten);
    st_retired_free(&tables->retired);
    st_map64_free(&tables->small);
    free(tables->large);
    free(tables);
    free(variables->cache);
    variables->tables = NULL;
    variables->cache = NULL;
}

uint32_t st_variables_count(const struct st_variables *variables) {
    return (uint32_t)variables->tables->variable_count;
}

/* ---- pages ---- */

static struct st_page *page_at(const struct st_variable_tables *tables, uint32_t index) {
    return &tables->page_memory[index / PAGES_AT_A_TIME][index % PAGES_AT_A_TIME];
}

static struct st_page *find_page(const struct st_variables *variables, uint64_t number) {
    const struct st_cached_page *cached = &variables->cache[number % ST_PAGE_CACHE];
    if (cached->page && cached->number == number)
        return cached->page;
    uint32_t index = st_map64_find(&variables->tables->pages, number);
    return index == ST_MAP64_NONE ? NULL : page_at(variables->tables, index);
}

/* Memory for many pages at a time, which the system puts on large pages of its own. */
static struct st_page *new_page(struct st_variable_tables *tables, uint32_t index) {
    size_t memory = index / PAGES_AT_A_TIME;
    st_reserve(&tables->page_memory, &tables->page_memory_capacity, memory + 1);
    if (!tables->page_memory[memory])
        tables->page_memory[memory] = st_alloc_table(PAGES_AT_A_TIME, sizeof(struct st_page));
    return page_at(tables, index);
}

static struct st_page *make_page(struct st_variables *variables, uint64_t number) {
    struct st_variable_tables *tables = variables->tables;
    struct st_cached_page *cached = &variables->cache[number % ST_PAGE_CACHE];
    if (cached->page && cached->number == number)
        return cached->page;
    uint32_t before = tables->pages.count, index = st_map64_number(&tables->pages, number);
    struct st_page *page = index == before ? new_page(tables, index) : page_at(tables, index);
    page->number = number;
    *cached = (struct st_cached_page){number, page};
    return page;
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

/* Nothing that was allocated in the range before is there any more. */
static void clear_small(const struct st_variables *variables, uint64_t start, uint64_t end) {
    for (uint64_t at = start & ~UINT64_C(7); at < end;) {
        uint64_t page_end = (at >> ST_PAGE_BITS << ST_PAGE_BITS) + PAGE_BYTES;
        struct st_page *page = find_page(variables, at >> ST_PAGE_BITS);
        if (!page) {
            at = page_end;
            continue;
        }
        for (; at < end && at < page_end; at += 8) {
            unsigned i = at >> 3 & (ST_PAGE_GRANULES - 1);
            page->granules[i] &= (UINT64_C(1) << ALLOCATION_SHIFT) - 1;
            st_bit_clear(page->starts, i);
        }
    }
}

/* Index of the first large allocation that ends behind the address. */
static size_t find_large(const struct st_variable_tables *tables, uint64_t address) {
    size_t at;
    st_lower_bound(at, 0, tables->large_count, tables->large[at].end <= address);
    return at;
}

static void clear_large(struct st_variable_tables *tables, uint64_t start, uint64_t end) {
    size_t first = find_large(tables, start), last = first;
    while (last < tables->large_count && tables->large[last].start < end)
        last++;
    if (last > first) {
        memmove(&tables->large[first], &tables->large[last],
                (tables->large_count - last) * sizeof *tables->large);
        tables->large_count -= last - first;
    }
}

static void add_large(struct st_variable_tables *tables, struct allocation allocation) {
    size_t at = find_large(tables, allocation.start);
    st_reserve(&tables->large, &tables->large_capacity, tables->large_count + 1);
    memmove(&tables->large[at + 1], &tables->large[at],
            (tables->large_count - at) * sizeof *tables->large);
    tables->large[at] = allocation;
    tables->large_count++;
}

void st_variables_allocate(struct st_variables *variables, uint64_t address, uint64_t length,
                           uint32_t origin) {
    struct st_variable_tables *tables = variables->tables;
    if (length == 0 || address + length < address)
        return;
    if (length < (UINT64_C(1) << 30)) /* walking over more pages costs more than it is worth */
        clear_small(variables, address, address + length);
    clear_large(tables, address, address + length);
    if (length >= LARGE) {
        add_large(tables, (struct allocation){address, address + length, origin});
        return;
    }
    struct st_page *page = make_page(variables, address >> ST_PAGE_BITS);
    unsigned i = address >> 3 & (ST_PAGE_GRANULES - 1);
    uint64_t number = small_number(tables, address, length, origin);
    page->granules[i] |= number << ALLOCATION_SHIFT;
    if (number)
        st_bit_set(page->starts, i);
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

static bool find_allocation(const struct st_variables *variables, uint64_t address,
                            struct allocation *found) {
    const struct st_variable_tables *tables = variables->tables;
    uint64_t number = address >> ST_PAGE_BITS;
    const struct st_page *page = find_page(variables, number);
    bool known = page && find_small(tables, page, address, found);
    if (!known && (page = find_page(variables, number - 1)))
        known = find_small(tables, page, (number << ST_PAGE_BITS) - 1, found);
    if (known && address >= found->start && address < found->end)
        return true;
    size_t at = find_large(tables, address);
    if (at == tables->large_count || tables->large[at].start > address)
        return false;
    *found = tables->large[at];
    return true;
}

struct st_data_place st_variables_place(const struct st_variables *variables, uint64_t generation) {
    uint64_t address = generation & ST_VARIABLE_ADDRESS;
    struct allocation allocation;
    if (!find_allocation(variables, address, &allocation))
        return (struct st_data_place){.address = address};
    return (struct st_data_place){address, allocation.origin, address - allocation.start};
}

struct st_data_place st_variables_place_of(const struct st_variables *variables, uint32_t number) {
    const struct origin *origin = &variables->tables->variables[number];
    return (struct st_data_place){origin->address, origin->origin, origin->offset};
}

/* ---- variables ---- */

/* The name of a variable, or rather what it is made of, as a number below 2^58. */
enum { ORIGIN_LIMIT = 1 << 25 };
#define ADDRESS_LIMIT (UINT64_C(1) << 57)

static uint64_t name_of(const struct origin *origin) {
    return origin->origin ? (uint64_t)origin->origin << 32 | origin->offset
                          : ADDRESS_LIMIT | origin->address;
}

/* Are these variables all in one allocation, or all in none, and have a name as above? */
static bool are_together(const struct origin *first, const struct origin *last) {
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
    struct origin first = {place.address, place.origin, (uint32_t)place.offset};
    struct origin last = {end.address, end.origin, (uint32_t)end.offset};
    if (!are_together(&first, &last))
        return ST_VARIABLE_NONE;
    uint32_t number = st_retired_take(&tables->retired, name_of(&first), count);
    for (unsigned i = 0; i < count && number != ST_VARIABLE_NONE; i++)
        tables->variables[number + i].address = place.address + i * size;
    return number;
}

/* `count` of them, one behind the other, of `size` bytes each. Returns the first. */
static uint32_t make_variables(struct st_variables *variables, uint64_t address, unsigned size,
                               unsigned count) {
    struct st_variable_tables *tables = variables->tables;
    uint32_t first = (uint32_t)tables->variable_count;
    struct st_data_place place = st_variables_place(variables, address);
    if (tables->reusing) {
        uint32_t number = reuse(variables, place, size, count);
        if (number != ST_VARIABLE_NONE)
            return number;
    }
    st_reserve(&tables->variables, &tables->variable_capacity, tables->variable_count + count);
    for (unsigned i = 0; i < count; i++) {
        struct st_data_place at = {place.address + i * size, place.origin, place.offset + i * size};
        if (i && place.origin) /* the next allocation may start in the same granule */
            at = st_variables_place(variables, at.address);
        tables->variables[tables->variable_count++] =
            (struct origin){at.address, at.origin, (uint32_t)at.offset};
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
    st_reserve(&tables->forgotten, &tables->forgotten_capacity, tables->forgotten_count + 1);
    tables->forgotten[tables->forgotten_count++] = (struct run){first, count};
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

void st_variables_recycle(struct st_variables *variables,
                          void (*forget)(void *context, uint32_t variable), void *context) {
    struct st_variable_tables *tables = variables->tables;
    for (size_t i = 0; i < tables->forgotten_count; i++) {
        struct run run = tables->forgotten[i];
        const struct origin *first = &tables->variables[run.first];
        for (uint32_t j = 0; j < run.count; j++)
            forget(context, run.first + j);
        if (are_together(first, first + run.count - 1))
            st_retired_put(&tables->retired, name_of(first), run.count, run.first);
    }
    tables->forgotten_count = 0;
}

static void forget_in_page(struct st_variable_tables *tables, struct st_page *page, uint64_t start,
                           uint64_t end) {
    uint64_t low = page->number << ST_PAGE_BITS, high = low + PAGE_BYTES;
    start = start > low ? start : low;
    end = end < high ? end : high;
    for (uint64_t at = start; at < end; at += 8)
        forget_granule(tables, granule_at(page, at));
}

void st_variables_forget(struct st_variables *variables, uint64_t address, uint64_t length) {
    struct st_variable_tables *tables = variables->tables;
    uint64_t start = address & ~UINT64_C(7), end = address + length;
    if (length == 0 || end < address)
        return;
    uint64_t first = start >> ST_PAGE_BITS, last = (end - 1) >> ST_PAGE_BITS;
    if (last - first <= tables->pages.count) {
        for (uint64_t number = first; number <= last; number++) {
            struct st_page *page = find_page(variables, number);
            if (page)
                forget_in_page(tables, page, start, end);
        }
        return;
    }
    for (uint32_t i = 0; i < tables->pages.count; i++) {
        struct st_page *page = page_at(tables, i);
        if (page->number >= first && page->number <= last)
            forget_in_page(tables, page, start, end);
    }
}
