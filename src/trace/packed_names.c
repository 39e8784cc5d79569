#include "trace/packed_names.h"

#include "base/lower_bound.h"
#include "base/map64.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Text that is compressed as a whole: names of neighbours differ in a few digits. So much is
 * unpacked for one name. */
enum { BLOCK_BYTES = 1 << 16, PACKING_LEVEL = 1 };

/* So much text is kept as it is: compressing the names of a few million variables takes longer than
 * checking what happens to them, and saves less memory than a tenth of what that takes. */
enum { PLAIN_BYTES = 32 << 20 };

/* Names first .. first + count of the next block. */
struct packed_block {
    uint32_t first;
    size_t size, full; /* equal: not compressed */
    char *data;
};

/* Invariant: the texts from `waiting_first` on are in `waiting`, the others in blocks, in the order
 * in which they came; name i is text origins[i], or if there are no origins, text i. Names that
 * were asked for have a copy, whose numbers are in `asked`. */
struct st_packed_names {
    struct packed_block *blocks;
    size_t block_count, block_capacity, block_bytes;
    char *waiting;
    size_t waiting_bytes, waiting_capacity;
    uint32_t waiting_first, count;
    uint32_t *origins;
    size_t origin_count, origin_capacity;
    struct st_map64 asked;
    char **copies;
    size_t copy_capacity;
    ZSTD_CCtx *compressor;
    char *unpacked; /* the block that was unpacked last, unpacked_block - 1 */
    size_t unpacked_capacity, unpacked_block;
};

static void free_packed(void *store) {
    struct st_packed_names *names = store;
    for (size_t i = 0; i < names->block_count; i++)
        free(names->blocks[i].data);
    for (uint32_t i = 0; i < names->asked.count; i++)
        free(names->copies[i]);
    ZSTD_freeCCtx(names->compressor);
    free(names->blocks);
    free(names->waiting);
    free(names->copies);
    st_free_table(names->origins, names->origin_capacity, sizeof *names->origins);
    free(names->unpacked);
    st_map64_free(&names->asked);
    free(names);
}

size_t st_packed_names_memory(const struct st_packed_names *names) {
    return names->block_bytes + names->block_capacity * sizeof *names->blocks +
           names->waiting_capacity + names->origin_count * sizeof *names->origins;
}

/* What is waiting, compressed if that helps. */
static char *compress_waiting(struct st_packed_names *names, size_t *size) {
    size_t full = names->waiting_bytes, bound = ZSTD_compressBound(full);
    char *packed = st_alloc(bound, 1);
    if (!names->compressor)
        names->compressor = ZSTD_createCCtx();
    *size = names->compressor ? ZSTD_compressCCtx(names->compressor, packed, bound, names->waiting,
                                                  full, PACKING_LEVEL)
                              : full;
    if (ZSTD_isError(*size) || *size >= full) {
        memcpy(packed, names->waiting, full);
        *size = full;
    }
    return packed;
}

static void pack_waiting(struct st_packed_names *names) {
    size_t full = names->waiting_bytes, size = full;
    char *packed = names->waiting;
    if (names->block_bytes < PLAIN_BYTES)
        names->waiting = NULL, names->waiting_capacity = 0;
    else
        packed = compress_waiting(names, &size);
    st_reserve(&names->blocks, &names->block_capacity, names->block_count + 1);
    names->blocks[names->block_count++] =
        (struct packed_block){.first = names->waiting_first,
                              .size = size,
                              .full = full,
                              .data = st_realloc(packed, size, 1)};
    names->block_bytes += size;
    names->waiting_first = names->count;
    names->waiting_bytes = 0;
}

/* Ends at the end of a name. */
static size_t piece_of(const char *text, size_t bytes, uint32_t *count) {
    size_t at = 0;
    for (*count = 0; at < bytes && at < BLOCK_BYTES; ++*count)
        at += strlen(text + at) + 1;
    return at;
}

static void add_origins(struct st_packed_names *names, uint32_t first, uint32_t count) {
    st_reserve_table(&names->origins, &names->origin_capacity, names->origin_count + count);
    for (uint32_t i = 0; i < count; i++)
        names->origins[names->origin_count++] = first + i;
}

void st_packed_names_repeat(struct st_packed_names *names, uint32_t number) {
    if (!names->origins)
        add_origins(names, 0, names->count);
    add_origins(names, names->origins[number], 1);
}

void st_packed_names_add(struct st_packed_names *names, const char *text, size_t bytes,
                         uint32_t count) {
    if (names->origins)
        add_origins(names, names->count, count);
    while (count) {
        uint32_t some;
        size_t piece = piece_of(text, bytes, &some);
        st_reserve(&names->waiting, &names->waiting_capacity, names->waiting_bytes + piece);
        memcpy(names->waiting + names->waiting_bytes, text, piece);
        names->waiting_bytes += piece;
        names->count += some;
        text += piece;
        bytes -= piece;
        count -= some;
        if (names->waiting_bytes >= BLOCK_BYTES)
            pack_waiting(names);
    }
}

static const char *unpack(struct st_packed_names *names, size_t number) {
    const struct packed_block *block = &names->blocks[number];
    if (names->unpacked_block == number + 1)
        return names->unpacked;
    st_reserve(&names->unpacked, &names->unpacked_capacity, block->full);
    if (block->size == block->full)
        memcpy(names->unpacked, block->data, block->full);
    else if (ZSTD_decompress(names->unpacked, block->full, block->data, block->size) != block->full)
        st_out_of_memory(); /* it was right when we packed it */
    names->unpacked_block = number + 1;
    return names->unpacked;
}

static const char *find_text(struct st_packed_names *names, uint32_t number) {
    const char *text = names->waiting;
    uint32_t first = names->waiting_first;
    if (number < first) {
        size_t behind;
        st_lower_bound(behind, 0, names->block_count, names->blocks[behind].first <= number);
        first = names->blocks[behind - 1].first;
        text = unpack(names, behind - 1);
    }
    for (; first < number; first++)
        text += strlen(text) + 1;
    return text;
}

static const char *find_name(void *store, uint32_t number) {
    struct st_packed_names *names = store;
    uint32_t before = names->asked.count, copy = st_map64_number(&names->asked, number);
    if (copy == before) {
        st_reserve(&names->copies, &names->copy_capacity, (size_t)copy + 1);
        names->copies[copy] =
            st_strdup(find_text(names, names->origins ? names->origins[number] : number));
    }
    return names->copies[copy];
}

struct st_packed_names *st_packed_names_new(struct st_symbols *symbols) {
    struct st_packed_names *names = st_alloc(1, sizeof *names);
    st_map64_init(&names->asked);
    symbols->elsewhere = (struct st_names_elsewhere){names, find_name, free_packed};
    return names;
}
