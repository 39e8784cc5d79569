/* Which variable is at an address?
 *
 * Byte-exact: neighbours are different variables, and an access is an event on what it touches and
 * on nothing else. The program's memory is seen in granules of 8 bytes. A granule that was accessed
 * with one size only has variables of that size (its layout). When an access does not fit (a struct
 * is cleared as a whole and then used member by member), the granule is divided into parts, and an
 * access is an event on each of its parts.
 *
 * A part comes from a variable that was larger: its ancestor. What happened to the ancestor
 * happened to the part. Either the receiver of the events copies what it knows (`split`), or an
 * access to the part also reads the ancestor, until the part was written: from then on whoever
 * depends on the part depends on that write, and through it on all before. This loses the order of
 * a read of the ancestor before a write of the part, and invents nothing. What an access has in
 * common with writes of others is all that counts: so an ancestor that was never written is not
 * read, and one that several parts of an access have in common is read once.
 *
 * Memory that was freed is forgotten: the next access there is to a new variable, or to one that
 * was forgotten and had the same name. */
#ifndef SERIATIM_WATCH_MEMORY_VARIABLES_H
#define SERIATIM_WATCH_MEMORY_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ST_VARIABLE_NONE UINT32_MAX

enum { ST_PAGE_BITS = 12, ST_PAGE_GRANULES = 1 << (ST_PAGE_BITS - 3), ST_PAGE_CACHE = 8192 };

/* How a granule is divided. */
enum st_layout {
    ST_LAYOUT_NONE, /* never accessed */
    ST_LAYOUT_1,    /* variables of 1 byte, base .. base + 7 */
    ST_LAYOUT_2,
    ST_LAYOUT_4,
    ST_LAYOUT_8,
    ST_LAYOUT_PARTS /* base is the number of its parts */
};

/* base, layout, and the allocation that starts in the granule; see variables.c. */
typedef uint64_t st_granule;
static inline uint32_t st_granule_base(st_granule granule) {
    return (uint32_t)granule;
}
static inline unsigned st_granule_layout(st_granule granule) {
    return granule >> 32 & 0xf;
}

/* Invariant: a page without members has granules that are 0, and serves for any number. */
struct st_page {
    uint64_t number;  /* of the page: address >> ST_PAGE_BITS */
    uint32_t members; /* of the two sets */
    uint32_t index;   /* where it is in memory; of a page that is not used: 1 + that of another */
    uint64_t starts[ST_PAGE_GRANULES / 64]; /* the granules in which an allocation starts */
    uint64_t used[ST_PAGE_GRANULES / 64];   /* the granules that have a layout */
    st_granule granules[ST_PAGE_GRANULES];
};

struct st_cached_page {
    uint64_t number;
    struct st_page *page; /* or NULL */
};

/* Bits of an address beyond these make other variables, of the same name. */
#define ST_VARIABLE_ADDRESS ((UINT64_C(1) << 48) - 1)
enum { ST_VARIABLE_GENERATION_AT = 48 };

/* Variable `to` was a part of `from` until now. */
typedef void st_variable_split(void *context, uint32_t from, uint32_t to);

struct st_variables {
    st_variable_split *split; /* copies what is known; NULL: accesses to parts read ancestors */
    void *split_context;
    struct st_cached_page *cache; /* ST_PAGE_CACHE of them, by the low bits of the number */
    struct st_variable_tables *tables;
};

void st_variables_init(struct st_variables *variables);
void st_variables_free(struct st_variables *variables);

/* The one variable that an access touches; ST_VARIABLE_NONE when it is not that simple, and
 * st_variables_touch has to say. size is 1 to 16. */
static inline uint32_t st_variables_find(const struct st_variables *variables, uint64_t address,
                                         unsigned size) {
    uint64_t number = address >> ST_PAGE_BITS;
    const struct st_cached_page *cached = &variables->cache[number % ST_PAGE_CACHE];
    if (__builtin_expect(cached->number != number || !cached->page, 0))
        return ST_VARIABLE_NONE;
    st_granule granule = cached->page->granules[address >> 3 & (ST_PAGE_GRANULES - 1)];
    unsigned layout = st_granule_layout(granule), offset = address & 7;
    unsigned shift = layout - 1; /* of the size of its variables */
    if (__builtin_expect(shift > 3 || size != 1u << shift || (offset & (size - 1)), 0))
        return ST_VARIABLE_NONE;
    return st_granule_base(granule) + (offset >> shift);
}

/* Prefetches a variable that is to be found soon: without it, a look-up among many megabytes waits
 * for memory. Always inline: gcc 12 takes a function that only prefetches for one without any
 * effect, and leaves it out. */
static inline __attribute__((always_inline)) void
st_variables_prefetch(const struct st_variables *variables, uint64_t address) {
    uint64_t number = address >> ST_PAGE_BITS;
    const struct st_cached_page *cached = &variables->cache[number % ST_PAGE_CACHE];
    if (cached->number == number && cached->page)
        __builtin_prefetch(&cached->page->granules[address >> 3 & (ST_PAGE_GRANULES - 1)]);
}

/* Calls `visit` for each variable that an access to address .. address + length touches, with
 * whether it is written; makes variables where there are none. */
typedef void st_visit(void *context, uint32_t variable, bool write);
void st_variables_touch(struct st_variables *variables, uint64_t address, uint64_t length,
                        bool write, st_visit *visit, void *context);

/* The memory has no meaning any more. */
void st_variables_forget(struct st_variables *variables, uint64_t address, uint64_t length);

/* From now on, numbers of variables that were forgotten are used again for others of the same name.
 * st_variables_recycle says which ones, before they are: whoever keeps something by their numbers
 * must forget it. */
void st_variables_reuse(struct st_variables *variables);
void st_variables_recycle(struct st_variables *variables,
                          void (*forget)(void *context, uint32_t variable), void *context);

/* Memory was allocated: what is in it can be named after it. `origin` is a number of the caller's,
 * not 0. */
void st_variables_allocate(struct st_variables *variables, uint64_t address, uint64_t length,
                           uint32_t origin);

/* Variables of this memory, from number `first` on, that came to be before the allocation was
 * known, and were in none, are in it now. */
void st_variables_adopt(struct st_variables *variables, uint64_t address, uint64_t length,
                        uint32_t first, void (*adopted)(void *context, uint32_t variable),
                        void *context);

/* An allocator of the program's own has handed out a part of memory that it got at once. What is in
 * it can be named after that, in place of what it was part of. `known` is asked about variables
 * that are there already: whether they keep their names (ST_KNOWN_KEEPS); whether they are named
 * after what the part is a part of (ST_KNOWN_WHOLE), since several have used them; or whether there
 * are to be others in their place (ST_KNOWN_RENEWED). False, and nothing changes, if the memory is
 * larger than a page, or no part of an allocation of at least a page. */
enum st_known { ST_KNOWN_KEEPS, ST_KNOWN_WHOLE, ST_KNOWN_RENEWED };
struct st_hand_out_rules {
    bool (*is_part)(void *context, uint32_t origin); /* was it handed out itself? */
    enum st_known (*known)(void *context, uint32_t variable);
    void *context;
};
bool st_variables_hand_out(struct st_variables *variables, uint64_t address, uint64_t length,
                           uint32_t origin, const struct st_hand_out_rules *rules);

/* How many variables there are, forgotten ones included; they have the numbers below. */
uint32_t st_variables_count(const struct st_variables *variables);

/* A place in memory, and in the allocation that holds it. */
struct st_data_place {
    uint64_t address;
    uint32_t origin; /* of the allocation; 0: none that we know of */
    uint64_t offset; /* in the allocation */
};

/* Where a variable was when it came to be. */
struct st_data_place st_variables_place_of(const struct st_variables *variables, uint32_t number);

/* Where the address is now. */
struct st_data_place st_variables_place(const struct st_variables *variables, uint64_t address);

#endif
