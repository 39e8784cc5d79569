#include "trace/native/native_packing.h"

/* A column as it was decided to be stored. */
struct plan {
    enum column_encoding encoding;
    unsigned width;
    uint64_t base;
};

/* What the numbers of a column are like. */
struct range {
    uint64_t least, most;
    uint64_t jumps; /* all bits that the zigzag codes of the differences have */
};

static unsigned bytes_for(uint64_t value) {
    return value ? (71 - (unsigned)__builtin_clzll(value)) / 8 : 0;
}

static uint64_t zigzag(uint64_t difference) {
    return difference << 1 ^ -(difference >> 63);
}

/* Decides for the encoding that needs fewer bytes a number. */
static struct plan make_plan(const struct range *range, uint64_t first) {
    struct plan plan = {.encoding = ENCODING_PLAIN};
    plan.width = bytes_for(range->most - range->least);
    plan.base = bytes_for(range->most) > plan.width ? range->least : 0; /* 0 is quicker to read */
    if (bytes_for(range->jumps) < plan.width) {
        plan.encoding = ENCODING_DELTA;
        plan.base = first;
        plan.width = bytes_for(range->jumps);
    }
    return plan;
}

static void put_head(unsigned char *head, const struct plan *plan, uint32_t count) {
    head[0] = (unsigned char)plan->encoding;
    head[1] = (unsigned char)plan->width;
    head[2] = head[3] = 0;
    put_u64(put_u32(head + 4, count), plan->base);
}

static void end_plane(struct native_packing *packing, uint32_t count) {
    packing->next += count;
    packing->plane_ends[packing->planes++] = (size_t)(packing->next - packing->start);
}

/* ---- numbers of any width ---- */

static struct range look_wide(const uint64_t *numbers, uint32_t count) {
    struct range range = {numbers[0], numbers[0], 0};
    for (uint32_t i = 1; i < count; i++) {
        range.least = numbers[i] < range.least ? numbers[i] : range.least;
        range.most = numbers[i] > range.most ? numbers[i] : range.most;
        range.jumps |= zigzag(numbers[i] - numbers[i - 1]);
    }
    return range;
}

static void encode_wide(const struct plan *plan, uint64_t *numbers, uint32_t count) {
    uint64_t previous = plan->base;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = numbers[i];
        if (plan->encoding == ENCODING_DELTA) {
            numbers[i] = zigzag(number - previous);
            previous = number;
        } else {
            numbers[i] = number - plan->base;
        }
    }
}

void native_pack_wide(struct native_packing *packing, unsigned char *head, uint64_t *numbers,
                      uint32_t count) {
    struct plan plan = {.encoding = ENCODING_PLAIN};
    if (count) {
        struct range range = look_wide(numbers, count);
        plan = make_plan(&range, numbers[0]);
    }
    put_head(head, &plan, count);
    encode_wide(&plan, numbers, count);
    for (unsigned plane = 0; plane < plan.width; plane++) {
        unsigned char *next = packing->next;
        for (uint32_t i = 0; i < count; i++)
            next[i] = (unsigned char)(numbers[i] >> 8 * plane);
        end_plane(packing, count);
    }
}

/* ---- numbers of four bytes, in loops that compilers make vector code of ---- */

/* A difference fits into as many bits as the numbers if these are below this limit. */
#define SMALL_LIMIT (UINT32_C(1) << 30)

static uint32_t zigzag_small(uint32_t difference) {
    return difference << 1 ^ (uint32_t)((int32_t)difference >> 31);
}

static struct range look(const uint32_t *numbers, uint32_t count) {
    uint32_t least = numbers[0], most = numbers[0], jumps = 0;
    for (uint32_t i = 1; i < count; i++) {
        least = numbers[i] < least ? numbers[i] : least;
        most = numbers[i] > most ? numbers[i] : most;
        jumps |= zigzag_small(numbers[i] - numbers[i - 1]);
    }
    return (struct range){least, most, jumps};
}

/* From the last to the first: each one needs the one before it as it was. */
static void encode(const struct plan *plan, uint32_t *numbers, uint32_t count) {
    uint32_t base = (uint32_t)plan->base;
    if (plan->encoding == ENCODING_DELTA) {
        for (uint32_t i = count - 1; i > 0; i--)
            numbers[i] = zigzag_small(numbers[i] - numbers[i - 1]);
        numbers[0] = 0;
    } else if (base) {
        for (uint32_t i = 0; i < count; i++)
            numbers[i] -= base;
    }
}

static void put_plane(unsigned char *restrict next, const uint32_t *restrict numbers,
                      uint32_t count, unsigned shift) {
    for (uint32_t i = 0; i < count; i++)
        next[i] = (unsigned char)(numbers[i] >> shift);
}

/* Numbers so large are rare. Their codes, which may be wider, are made anew for each plane. */
static void pack_large(struct native_packing *packing, unsigned char *head, const uint32_t *numbers,
                       uint32_t count) {
    struct range range = {numbers[0], numbers[0], 0};
    for (uint32_t i = 1; i < count; i++) {
        range.least = numbers[i] < range.least ? numbers[i] : range.least;
        range.most = numbers[i] > range.most ? numbers[i] : range.most;
        range.jumps |= zigzag((uint64_t)numbers[i] - numbers[i - 1]);
    }
    struct plan plan = make_plan(&range, numbers[0]);
    put_head(head, &plan, count);
    for (unsigned plane = 0; plane < plan.width; plane++) {
        for (uint32_t i = 0; i < count; i++) {
            uint64_t before = i ? numbers[i - 1] : plan.base;
            uint64_t code = plan.encoding == ENCODING_DELTA ? zigzag(numbers[i] - before)
                                                            : numbers[i] - plan.base;
            packing->next[i] = (unsigned char)(code >> 8 * plane);
        }
        end_plane(packing, count);
    }
}

void native_pack(struct native_packing *packing, unsigned char *head, uint32_t *numbers,
                 uint32_t count) {
    struct plan plan = {.encoding = ENCODING_PLAIN};
    if (count) {
        struct range range = look(numbers, count);
        if (range.most >= SMALL_LIMIT) {
            pack_large(packing, head, numbers, count);
            return;
        }
        plan = make_plan(&range, numbers[0]);
        encode(&plan, numbers, count);
    }
    put_head(head, &plan, count);
    for (unsigned plane = 0; plane < plan.width; plane++) {
        put_plane(packing->next, numbers, count, 8 * plane);
        end_plane(packing, count);
    }
}
