#include "watch/variables.h"

#include "base/memory.h"
#include "watch/retired.h"

#include <stdlib.h>
#include <string.h>

/* Allocations of at least a page are kept in a list of their own. */
enum { PAGE_BYTES = 1 << ST_PAGE_BITS, SMALL = PAGE_BYTES, NO_ANCESTOR = 0, PAGES_A_BLOCK = 1000 };

/* Bits 36 to 63 of a granule: 1 + index of the allocation (in `blocks`) that starts in it, or 0. */
enum { BLOCK_SHIFT = 36 };
#define BLOCK_LIMIT ((UINT32_C(1) << 28) - 1)

/* Where a small allocation starts in its granule, how long it is, and whose it is. Equal ones share
 * a number: there are few. */
struct block {
    uint32_t origin;
    uint16_t length, start;
};

struct large_block {
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

struct page_slot {
    uint64_t number;
    struct st_page *page; /* NULL: free */
};

/* Of a variable. */
struct origin {
    uint64_t address;
    uint32_t origin, offset;
};

struct st_more_variables {
    struct page_slot *pages; /* open addressing, a power of two, at most half full */
    size_t page_slots, page_count;
    struct st_page **page_blocks; /* PAGES_A_BLOCK pages each, taken one after the other */
    size_t page_block_capacity;

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

    struct block *blocks;
    size_t block_count, block_capacity;
    uint32_t *block_slots; /* 1 + index; open addressing, a power of two, at most half full */
    size_t block_slot_count;
    struct large_block *large; /* by start, without overlap */
    size_t large_count, large_capacity;
};

void st_variables_init(struct st_variables *variables) {
    memset(variables, 0, sizeof *variables);
    struct st_more_variables *more = st_alloc(1, sizeof *more);
    more->page_slots = 1024;
    more->pages = st_alloc(more->page_slots, sizeof *more->pages);
    more->block_slot_count = 1024;
    more->block_slots = st_alloc(more->block_slot_count, sizeof *more->block_slots);
    st_retired_init(&more->retired);
    variables->more = more;
    variables->cache = st_alloc(ST_PAGE_CACHE, sizeof *variables->cache);
}

void st_variables_free(struct st_variables *variables) {
    struct st_more_variables *more = variables->more;
    if (!more)
        return;
    for (size_t i = 0; i * PAGES_A_BLOCK < more->page_count; i++)
        st_free_table(more->page_blocks[i], PAGES_A_BLOCK, sizeof(struct st_page));
    free(more->page_blocks);
    free(more->pages);
    free(more->variables);
    free(more->parts);
    free(more->free_parts);
    free(more->ancestors);
    free(more->forgotten);
    st_retired_free(&more->retired);
    free(more->blocks);
    free(more->block_slots);
    free(more->large);
    free(more);
    free(variables->cache);
    variables->more = NULL;
    variables->cache = NULL;
}

uint32_t st_variables_count(const struct st_variables *variables) {
    return (uint32_t)variables->more->variable_count;
}

static uint64_t hash(uint64_t value) {
    value *= UINT64_C(0x9E3779B97F4A7C15);
    return value ^ value >> 29;
}

/* ---- pages ---- */

static struct page_slot *page_slot(const struct st_more_variables *more, uint64_t number) {
    size_t mask = more->page_slots - 1;
    for (size_t i = hash(number) & mask;; i = (i + 1) & mask)
        if (!more->pages[i].page || more->pages[i].number == number)
            return &more->pages[i];
}

static void grow_pages(struct st_more_variables *more) {
    struct page_slot *old = more->pages;
    size_t count = more->page_slots;
    more->page_slots *= 2;
    more->pages = st_alloc(more->page_slots, sizeof *more->pages);
    for (size_t i = 0; i < count; i++)
        if (old[i].page)
            *page_slot(more, old[i].number) = old[i];
    free(old);
}

static struct st_page *find_page(const struct st_variables *variables, uint64_t number) {
    const struct st_cached_page *cached = &variables->cache[number % ST_PAGE_CACHE];
    return cached->page && cached->number == number ? cached->page
                                                    : page_slot(variables->more, number)->page;
}

/* From large blocks, which the system puts on large pages of its own. */
static struct st_page *new_page(struct st_more_variables *more, size_t index) {
    size_t block = index / PAGES_A_BLOCK;
    st_reserve(&more->page_blocks, &more->page_block_capacity, block + 1);
    if (!more->page_blocks[block])
        more->page_blocks[block] = st_alloc_table(PAGES_A_BLOCK, sizeof(struct st_page));
    return &more->page_blocks[block][index % PAGES_A_BLOCK];
}

static struct st_page *make_page(struct st_variables *variables, uint64_t number) {
    struct st_more_variables *more = variables->more;
    struct st_cached_page *cached = &variables->cache[number % ST_PAGE_CACHE];
    if (cached->page && cached->number == number)
        return cached->page;
    struct page_slot *slot = page_slot(more, number);
    if (!slot->page) {
        if (2 * ++more->page_count > more->page_slots) {
            grow_pages(more);
            slot = page_slot(more, number);
        }
        slot->number = number;
        slot->page = new_page(more, more->page_count - 1);
        slot->page->number = number;
    }
    *cached = (struct st_cached_page){number, slot->page};
    return slot->page;
}

static st_granule *granule_at(struct st_page *page, uint64_t address) {
    return &page->granules[address >> 3 & (ST_PAGE_GRANULES - 1)];
}

static void set_granule(st_granule *granule, enum st_layout layout, uint32_t base) {
    *granule = (*granule >> BLOCK_SHIFT << BLOCK_SHIFT) | (uint64_t)layout << 32 | base;
}

/* ---- allocations ---- */

static uint32_t block_number(struct st_more_variables *more, struct block block) {
    size_t mask = more->block_slot_count - 1;
    size_t i = hash((uint64_t)block.origin << 32 | (uint64_t)block.length << 16 | block.start);
    for (i &= mask; more->block_slots[i]; i = (i + 1) & mask) {
        const struct block *known = &more->blocks[more->block_slots[i] - 1];
        if (known->origin == block.origin && known->length == block.length &&
            known->start == block.start)
            return more->block_slots[i];
    }
    if (more->block_count >= BLOCK_LIMIT)
        return 0;
    st_reserve(&more->blocks, &more->block_capacity, more->block_count + 1);
    more->blocks[more->block_count++] = block;
    more->block_slots[i] = (uint32_t)more->block_count;
    if (2 * more->block_count > more->block_slot_count) {
        free(more->block_slots);
        more->block_slot_count *= 2;
        mask = more->block_slot_count - 1;
        more->block_slots = st_alloc(more->block_slot_count, sizeof *more->block_slots);
        for (size_t b = 0; b < more->block_count; b++) {
            const struct block *old = &more->blocks[b];
            size_t at =
                hash((uint64_t)old->origin << 32 | (uint64_t)old->length << 16 | old->start) & mask;
            while (more->block_slots[at])
                at = (at + 1) & mask;
            more->block_slots[at] = (uint32_t)b + 1;
        }
    }
    return (uint32_t)more->block_count;
}

/* Nothing that was allocated in the range before is there any more. */
static void clear_blocks(const struct st_variables *variables, uint64_t start, uint64_t end) {
    for (uint64_t at = start & ~UINT64_C(7); at < end;) {
        uint64_t page_end = (at >> ST_PAGE_BITS << ST_PAGE_BITS) + PAGE_BYTES;
        struct st_page *page = find_page(variables, at >> ST_PAGE_BITS);
        if (!page) {
            at = page_end;
            continue;
        }
        for (; at < end && at < page_end; at += 8) {
            unsigned i = at >> 3 & (ST_PAGE_GRANULES - 1);
            page->granules[i] &= (UINT64_C(1) << BLOCK_SHIFT) - 1;
            page->starts[i / 64] &= ~(UINT64_C(1) << i % 64);
        }
    }
}

/* Index of the first large block that ends behind the address. */
static size_t find_large(const struct st_more_variables *more, uint64_t address) {
    size_t low = 0, high = more->large_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (more->large[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void clear_large(struct st_more_variables *more, uint64_t start, uint64_t end) {
    size_t first = find_large(more, start), last = first;
    while (last < more->large_count && more->large[last].start < end)
        last++;
    if (last > first) {
        memmove(&more->large[first], &more->large[last],
                (more->large_count - last) * sizeof *more->large);
        more->large_count -= last - first;
    }
}

static void add_large(struct st_more_variables *more, struct large_block block) {
    size_t at = find_large(more, block.start);
    st_reserve(&more->large, &more->large_capacity, more->large_count + 1);
    memmove(&more->large[at + 1], &more->large[at], (more->large_count - at) * sizeof *more->large);
    more->large[at] = block;
    more->large_count++;
}

void st_variables_allocated(struct st_variables *variables, uint64_t address, uint64_t length,
                            uint32_t origin) {
    struct st_more_variables *more = variables->more;
    if (length == 0 || address + length < address)
        return;
    if (length < (UINT64_C(1) << 30)) /* walking over more pages costs more than it is worth */
        clear_blocks(variables, address, address + length);
    clear_large(more, address, address + length);
    if (length >= SMALL) {
        add_large(more, (struct large_block){address, address + length, origin});
        return;
    }
    struct block block = {origin, (uint16_t)length, address & 7};
    struct st_page *page = make_page(variables, address >> ST_PAGE_BITS);
    unsigned i = address >> 3 & (ST_PAGE_GRANULES - 1);
    uint64_t number = block_number(more, block);
    page->granules[i] |= number << BLOCK_SHIFT;
    page->starts[i / 64] |= (uint64_t)(number != 0) << i % 64;
}

/* The last small block that starts in the page at or before the address; false if none does. */
static bool last_block(const struct st_more_variables *more, const struct st_page *page,
                       uint64_t address, struct large_block *found) {
    unsigned at = address >> 3 & (ST_PAGE_GRANULES - 1), word = at / 64;
    uint64_t bits = page->starts[word] & UINT64_MAX >> (63 - at % 64);
    while (!bits && word)
        bits = page->starts[--word];
    if (!bits)
        return false;
    unsigned i = 64 * word + 63 - (unsigned)__builtin_clzll(bits);
    const struct block *block = &more->blocks[(page->granules[i] >> BLOCK_SHIFT) - 1];
    uint64_t start = (page->number << ST_PAGE_BITS) + 8 * (uint64_t)i + block->start;
    *found = (struct large_block){start, start + block->length, block->origin};
    return true;
}

static bool find_block(const struct st_variables *variables, uint64_t address,
                       struct large_block *found) {
    const struct st_more_variables *more = variables->more;
    uint64_t number = address >> ST_PAGE_BITS;
    const struct st_page *page = find_page(variables, number);
    bool known = page && last_block(more, page, address, found);
    if (!known && (page = find_page(variables, number - 1)))
        known = last_block(more, page, (number << ST_PAGE_BITS) - 1, found);
    if (known && address >= found->start && address < found->end)
        return true;
    size_t at = find_large(more, address);
    if (at == more->large_count || more->large[at].start > address)
        return false;
    *found = more->large[at];
    return true;
}

struct st_variable st_variables_place(const struct st_variables *variables, uint64_t address) {
    struct large_block block;
    if (!find_block(variables, address, &block))
        return (struct st_variable){.address = address};
    return (struct st_variable){address, block.origin, address - block.start};
}

struct st_variable st_variable(const struct st_variables *variables, uint32_t number) {
    const struct origin *origin = &variables->more->variables[number];
    return (struct st_variable){origin->address, origin->origin, origin->offset};
}

/* ---- variables ---- */

/* The name of a variable, or rather what it is made of, as a number below 2^58. */
enum { ORIGIN_LIMIT = 1 << 25 };
#define ADDRESS_LIMIT (UINT64_C(1) << 57)

static uint64_t name_of(const struct origin *origin) {
    return origin->origin ? (uint64_t)origin->origin << 32 | origin->offset
                          : ADDRESS_LIMIT | origin->address;
}

/* Are these variables all in one block, or all in none, and have a name as above? */
static bool are_together(const struct origin *first, const struct origin *last) {
    return first->origin == last->origin && first->origin < ORIGIN_LIMIT &&
           first->address < ADDRESS_LIMIT &&
           (!first->origin || last->offset - first->offset == last->address - first->address);
}

/* Takes over the numbers of variables that were forgotten, if there are any of the same names. */
static uint32_t reuse(struct st_variables *variables, struct st_variable place, unsigned size,
                      unsigned count) {
    struct st_more_variables *more = variables->more;
    struct st_variable end = place;
    if (count > 1 && place.origin)
        end = st_variables_place(variables, place.address + (count - 1) * size);
    struct origin first = {place.address, place.origin, (uint32_t)place.offset};
    struct origin last = {end.address, end.origin, (uint32_t)end.offset};
    if (!are_together(&first, &last))
        return ST_NO_VARIABLE;
    uint32_t number = st_retired_take(&more->retired, name_of(&first), count);
    for (unsigned i = 0; i < count && number != ST_NO_VARIABLE; i++)
        more->variables[number + i].address = place.address + i * size;
    return number;
}

/* `count` of them, one behind the other, of `size` bytes each. Returns the first. */
static uint32_t make_variables(struct st_variables *variables, uint64_t address, unsigned size,
                               unsigned count) {
    struct st_more_variables *more = variables->more;
    uint32_t first = (uint32_t)more->variable_count;
    struct st_variable place = st_variables_place(variables, address);
    if (more->reusing) {
        uint32_t number = reuse(variables, place, size, count);
        if (number != ST_NO_VARIABLE)
            return number;
    }
    st_reserve(&more->variables, &more->variable_capacity, more->variable_count + count);
    for (unsigned i = 0; i < count; i++) {
        struct st_variable at = {address + i * size, place.origin, place.offset + i * size};
        if (i && place.origin) /* the next block may start in the same granule */
            at = st_variables_place(variables, at.address);
        more->variables[more->variable_count++] =
            (struct origin){at.address, at.origin, (uint32_t)at.offset};
    }
    return first;
}

static uint8_t bytes_of(unsigned offset, unsigned size) {
    return (uint8_t)(((1u << size) - 1) << offset);
}

static uint32_t take_parts(struct st_more_variables *more) {
    if (more->free_parts_count)
        return more->free_parts[--more->free_parts_count];
    st_reserve(&more->parts, &more->parts_capacity, more->parts_count + 1);
    return (uint32_t)more->parts_count++;
}

static void give_parts(struct st_more_variables *more, uint32_t number) {
    st_reserve(&more->free_parts, &more->free_parts_capacity, more->free_parts_count + 1);
    more->free_parts[more->free_parts_count++] = number;
}

static uint32_t take_ancestor(struct st_more_variables *more) {
    uint32_t number = more->free_ancestor;
    if (number) {
        more->free_ancestor = more->ancestors[number - 1].before;
        return number;
    }
    st_reserve(&more->ancestors, &more->ancestor_capacity, more->ancestor_count + 1);
    return (uint32_t)++more->ancestor_count;
}

static void add_part(struct parts *parts, struct part part) {
    int i = 0;
    while (parts->list[i].bytes)
        i++;
    parts->list[i] = part;
}

/* Turns a granule with a layout, or without one, into one with parts. */
static uint32_t divide(struct st_variables *variables, st_granule *granule) {
    struct st_more_variables *more = variables->more;
    unsigned layout = st_granule_layout(*granule);
    if (layout == ST_LAYOUT_PARTS)
        return st_granule_base(*granule);
    uint32_t number = take_parts(more);
    memset(&more->parts[number], 0, sizeof more->parts[number]);
    if (layout != ST_LAYOUT_NONE) {
        unsigned size = 1u << (layout - 1);
        for (unsigned i = 0; i < 8 / size; i++)
            more->parts[number].list[i] =
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
static void cut_part(struct st_variables *variables, uint64_t address, uint32_t number, int i,
                     uint8_t bytes) {
    struct st_more_variables *more = variables->more;
    struct part old = more->parts[number].list[i];
    uint32_t ancestors = take_ancestor(more);
    more->ancestors[ancestors - 1] =
        (struct ancestor){old.variable, old.ancestors, more->parts[number].ancestors};
    more->parts[number].ancestors = ancestors;
    if (variables->parted)
        ancestors = NO_ANCESTOR;
    uint8_t inside = old.bytes & bytes, outside = old.bytes & (uint8_t)~bytes;
    struct part in = {inside, make_variables(variables, address + lowest(inside), 0, 1), ancestors};
    struct part out = {outside, make_variables(variables, address + lowest(outside), 0, 1),
                       ancestors};
    more->parts[number].list[i] = in;
    add_part(&more->parts[number], out);
    if (variables->parted) {
        variables->parted(variables->parted_context, old.variable, in.variable);
        variables->parted(variables->parted_context, old.variable, out.variable);
    }
}

static void visit_part(const struct st_more_variables *more, struct part *part, bool write,
                       st_visit *visit, void *context) {
    for (uint32_t a = part->ancestors; a; a = more->ancestors[a - 1].next)
        visit(context, more->ancestors[a - 1].variable, false);
    if (write)
        part->ancestors = NO_ANCESTOR;
    visit(context, part->variable, write);
}

static void touch_parts(struct st_variables *variables, uint64_t address, st_granule *granule,
                        uint8_t bytes, bool write, st_visit *visit, void *context) {
    struct st_more_variables *more = variables->more;
    uint32_t number = divide(variables, granule);
    uint8_t known = 0;
    for (int i = 0; i < 8 && more->parts[number].list[i].bytes; i++) {
        uint8_t part = more->parts[number].list[i].bytes;
        known |= part;
        if ((part & bytes) && (part & ~bytes))
            cut_part(variables, address, number, i, bytes);
    }
    uint8_t fresh = bytes & (uint8_t)~known;
    if (fresh)
        add_part(&more->parts[number],
                 (struct part){fresh, make_variables(variables, address + lowest(fresh), 0, 1),
                               NO_ANCESTOR});
    for (int i = 0; i < 8; i++) {
        struct part *part = &more->parts[number].list[i];
        if (part->bytes & bytes)
            visit_part(more, part, write, visit, context);
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

static void forget_variables(struct st_more_variables *more, uint32_t first, unsigned count) {
    if (!more->reusing)
        return;
    st_reserve(&more->forgotten, &more->forgotten_capacity, more->forgotten_count + 1);
    more->forgotten[more->forgotten_count++] = (struct run){first, count};
}

static void forget_parts(struct st_more_variables *more, uint32_t number) {
    const struct parts *parts = &more->parts[number];
    for (int i = 0; i < 8 && parts->list[i].bytes; i++)
        forget_variables(more, parts->list[i].variable, 1);
    for (uint32_t a = parts->ancestors, before; a; a = before) {
        struct ancestor *ancestor = &more->ancestors[a - 1];
        before = ancestor->before;
        forget_variables(more, ancestor->variable, 1);
        ancestor->before = more->free_ancestor;
        more->free_ancestor = a;
    }
    give_parts(more, number);
}

static void forget_granule(struct st_more_variables *more, st_granule *granule) {
    unsigned layout = st_granule_layout(*granule);
    if (layout == ST_LAYOUT_PARTS)
        forget_parts(more, st_granule_base(*granule));
    else if (layout != ST_LAYOUT_NONE)
        forget_variables(more, st_granule_base(*granule), 8u >> (layout - 1));
    set_granule(granule, ST_LAYOUT_NONE, 0);
}

void st_variables_reuse(struct st_variables *variables) {
    variables->more->reusing = true;
}

void st_variables_recycle(struct st_variables *variables,
                          void (*forget)(void *context, uint32_t variable), void *context) {
    struct st_more_variables *more = variables->more;
    for (size_t i = 0; i < more->forgotten_count; i++) {
        struct run run = more->forgotten[i];
        const struct origin *first = &more->variables[run.first];
        for (uint32_t j = 0; j < run.count; j++)
            forget(context, run.first + j);
        if (are_together(first, first + run.count - 1))
            st_retired_put(&more->retired, name_of(first), run.count, run.first);
    }
    more->forgotten_count = 0;
}

static void forget_in_page(struct st_more_variables *more, struct st_page *page, uint64_t start,
                           uint64_t end) {
    uint64_t low = page->number << ST_PAGE_BITS, high = low + PAGE_BYTES;
    start = start > low ? start : low;
    end = end < high ? end : high;
    for (uint64_t at = start; at < end; at += 8)
        forget_granule(more, granule_at(page, at));
}

void st_variables_forget(struct st_variables *variables, uint64_t address, uint64_t length) {
    struct st_more_variables *more = variables->more;
    uint64_t start = address & ~UINT64_C(7), end = address + length;
    if (length == 0 || end < address)
        return;
    uint64_t first = start >> ST_PAGE_BITS, last = (end - 1) >> ST_PAGE_BITS;
    if (last - first < more->page_slots) {
        for (uint64_t number = first; number <= last; number++) {
            struct st_page *page = find_page(variables, number);
            if (page)
                forget_in_page(more, page, start, end);
        }
        return;
    }
    for (size_t i = 0; i < more->page_slots; i++) {
        struct st_page *page = more->pages[i].page;
        if (page && page->number >= first && page->number <= last)
            forget_in_page(more, page, start, end);
    }
}
