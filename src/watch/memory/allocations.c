/* Which memory was allocated where. */
#include "watch/memory/variable_tables.h"

/* 1 + the number of a small allocation; 0 when there are too many. */
static uint64_t small_number(struct st_variable_tables *tables, uint64_t address, uint64_t length,
                             uint32_t origin) {
    uint64_t id = (uint64_t)origin << 32 | length << 16 | (address & 7);
    uint32_t number = st_map64_number(&tables->small, id);
    return number < ALLOCATION_LIMIT ? number + 1 : 0;
}

static void clear_small_in_page(struct st_variables *variables, struct st_page *page,
                                struct st_page_span span) {
    size_t i = st_bit_next(page->starts, span.first, span.end);
    for (; i < span.end; i = st_bit_next(page->starts, i, span.end)) {
        page->granules[i] &= (UINT64_C(1) << ALLOCATION_SHIFT) - 1;
        st_page_leave(page, page->starts, i);
    }
    if (!page->members)
        st_page_give_back(variables, page);
}

/* Nothing that was allocated in the range before is there any more. */
static void clear_small(struct st_variables *variables, uint64_t start, uint64_t end) {
    uint64_t first = start >> ST_PAGE_BITS, last = (end - 1) >> ST_PAGE_BITS;
    struct st_page *page = st_page_next(variables, first, last);
    for (uint64_t number; page; page = st_page_next(variables, number + 1, last)) {
        number = page->number;
        clear_small_in_page(variables, page, st_page_span(page, start, end));
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
    const struct st_page *page = st_page_find(variables, number);
    bool known = page && find_small(tables, page, address, found);
    if (!known && (page = st_page_find(variables, number - 1)))
        known = find_small(tables, page, (number << ST_PAGE_BITS) - 1, found);
    return known && address >= found->start && address < found->end;
}

static bool find_allocation(const struct st_variables *variables, uint64_t address,
                            struct allocation *found) {
    return small_at(variables, address, found) || find_large(variables->tables, address, found);
}

/* A page has one place for each allocation that starts there. */
static void add_small(struct st_variables *variables, uint64_t address, uint64_t length,
                      uint32_t origin) {
    struct st_variable_tables *tables = variables->tables;
    struct st_page *page = st_page_make(variables, address >> ST_PAGE_BITS);
    unsigned i = address >> 3 & (ST_PAGE_GRANULES - 1);
    uint64_t number = small_number(tables, address, length, origin);
    page->granules[i] |= number << ALLOCATION_SHIFT;
    if (number)
        st_page_enter(tables, page, page->starts, i);
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
    add_small(variables, address, length, origin);
}

struct st_data_place st_variables_place(const struct st_variables *variables, uint64_t generation) {
    uint64_t address = generation & ST_VARIABLE_ADDRESS;
    struct allocation allocation;
    if (!find_allocation(variables, address, &allocation))
        return (struct st_data_place){.address = address};
    return (struct st_data_place){address, allocation.origin, address - allocation.start};
}

/* Up to 8 variables of a granule. */
unsigned st_granule_variables(const struct st_variables *variables, st_granule granule,
                              uint32_t found[8]) {
    unsigned layout = st_granule_layout(granule), count = 0;
    uint32_t base = st_granule_base(granule);
    if (layout == ST_LAYOUT_PARTS)
        return st_parts_variables(&variables->tables->parts, base, found);
    if (layout != ST_LAYOUT_NONE)
        for (; count < 8u >> (layout - 1); count++)
            found[count] = base + count;
    return count;
}

void st_variables_adopt(struct st_variables *variables, uint64_t address, uint64_t length,
                        uint32_t first, void (*adopted)(void *context, uint32_t variable),
                        void *context) {
    struct st_origins *origins = &variables->tables->variables;
    for (uint64_t at = address & ~UINT64_C(7); at < address + length; at += 8) {
        struct st_page *page = st_page_find(variables, at >> ST_PAGE_BITS);
        uint32_t found[8];
        unsigned count = page ? st_granule_variables(variables, *granule_at(page, at), found) : 0;
        for (unsigned i = 0; i < count; i++) {
            struct st_origin origin = st_origins_get(origins, found[i]);
            struct st_data_place place = st_variables_place(variables, origin.address);
            if (origin.origin || !place.origin || found[i] < first)
                continue;
            st_origins_set(origins, found[i],
                           (struct st_origin){place.address, place.origin, (uint32_t)place.offset});
            adopted(context, found[i]);
        }
    }
}

struct st_data_place st_variables_place_of(const struct st_variables *variables, uint32_t number) {
    struct st_origin origin = st_origins_get(&variables->tables->variables, number);
    return (struct st_data_place){origin.address, origin.origin, origin.offset};
}

/* ---- memory that the program hands out itself ---- */

static void look_at_known(struct st_variables *variables, struct allocation whole, uint64_t address,
                          st_granule *granule, const struct st_hand_out_rules *rules) {
    struct st_origins *origins = &variables->tables->variables;
    uint32_t found[8];
    unsigned count = st_granule_variables(variables, *granule, found);
    bool renewed = count > 0;
    for (unsigned i = 0; i < count; i++) {
        enum st_known known = rules->known(rules->context, found[i]);
        struct st_origin origin = st_origins_get(origins, found[i]);
        renewed &= known == ST_KNOWN_RENEWED;
        origin.origin = whole.origin;
        origin.offset = (uint32_t)(origin.address - whole.start);
        if (known == ST_KNOWN_WHOLE)
            st_origins_set(origins, found[i], origin);
    }
    if (renewed)
        st_granule_renew(variables, address, granule);
}

bool st_variables_hand_out(struct st_variables *variables, uint64_t address, uint64_t length,
                           uint32_t origin, const struct st_hand_out_rules *rules) {
    struct allocation whole, part;
    uint64_t end = address + length;
    if (length == 0 || length >= LARGE || !find_large(variables->tables, address, &whole) ||
        end > whole.end || rules->is_part(rules->context, whole.origin))
        return false;
    bool known = small_at(variables, address, &part);
    if (known && !rules->is_part(rules->context, part.origin))
        return false;
    if (known && part.start != address) /* the memory was divided in another way before */
        clear_small(variables, part.start, part.start + 1);
    if ((address & 7) + length >= 8) /* the next one may start where this one ends */
        clear_small(variables, address, end & ~UINT64_C(7));
    else
        clear_small(variables, address, end);
    add_small(variables, address, length, origin);
    uint64_t last = (end - 1) >> ST_PAGE_BITS;
    struct st_page *page = st_page_next(variables, address >> ST_PAGE_BITS, last);
    for (uint64_t number; page; page = st_page_next(variables, number + 1, last)) {
        number = page->number;
        struct st_page_span span = st_page_span(page, address, end);
        size_t i = st_bit_next(page->used, span.first, span.end);
        for (; i < span.end; i = st_bit_next(page->used, i + 1, span.end))
            look_at_known(variables, whole, (number << ST_PAGE_BITS) + 8 * i, &page->granules[i],
                          rules);
    }
    return true;
}
