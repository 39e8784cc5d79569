#include "trace/native/native_strips.h"

#include "base/memory.h"

#include <string.h>

/* In the order in which they lie in strip.target. */
static const enum column_kind target_columns[NATIVE_TARGET_COLUMNS] = {
    COLUMN_VARIABLE, COLUMN_LOCK, COLUMN_CHILD, COLUMN_BLOCK, COLUMN_CHANNEL};
enum { BLOCK_COLUMN = 3 }; /* among them */

bool native_columns_fit(const struct native_column *columns, uint32_t events) {
    uint64_t targets = 0;
    for (size_t i = 0; i < NATIVE_TARGET_COLUMNS; i++)
        targets += columns[target_columns[i]].count;
    return columns[COLUMN_STEP].count == events && columns[COLUMN_LOC].count == events &&
           targets == events;
}

/* Turns values into locations. Returns whether the numbers fit and the names exist: for each one a
 * subtraction that must not become negative, and the signs are collected for one look at them. */
static bool make_locations(uint64_t *restrict values, size_t n, uint64_t names) {
    uint64_t signs = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t is_name = values[i] & 1, number = values[i] >> 1;
        signs |= (ST_LOC_NUMBER_LIMIT - 1 - number) | (names - ((number + 1) & -is_name));
        values[i] = number | is_name * ST_LOC_NAME;
    }
    return !(signs >> 63);
}

/* Five counters, one for each target column, live in five fields of one register. An operation has
 * the field of its column, and the number that adds one there; one that does not exist adds nothing
 * to any. */
enum { FIELD_BITS = 12 };
_Static_assert(64 >= NATIVE_TARGET_COLUMNS * FIELD_BITS, "all counters fit in one register");
_Static_assert(1 << FIELD_BITS > NATIVE_TARGET_COLUMNS * NATIVE_STRIP,
               "a counter holds any place of a strip");

#define FIELD(i) ((i)*FIELD_BITS)
static const unsigned char field_of_op[1 << STEP_OP_BITS] = {
    [ST_READ] = FIELD(0), [ST_WRITE] = FIELD(0),   [ST_ACQUIRE] = FIELD(1), [ST_RELEASE] = FIELD(1),
    [ST_FORK] = FIELD(2), [ST_JOIN] = FIELD(2),    [ST_BEGIN] = FIELD(3),   [ST_END] = FIELD(3),
    [ST_SEND] = FIELD(4), [ST_RECEIVE] = FIELD(4),
};

#define ONE(i) (UINT64_C(1) << FIELD(i))
static const uint64_t one_of_op[1 << STEP_OP_BITS] = {
    [ST_READ] = ONE(0), [ST_WRITE] = ONE(0),   [ST_ACQUIRE] = ONE(1), [ST_RELEASE] = ONE(1),
    [ST_FORK] = ONE(2), [ST_JOIN] = ONE(2),    [ST_BEGIN] = ONE(3),   [ST_END] = ONE(3),
    [ST_SEND] = ONE(4), [ST_RECEIVE] = ONE(4),
};

static inline size_t counter(uint64_t counters, unsigned field) {
    return counters >> field & ((1 << FIELD_BITS) - 1);
}

/* Steps are nearly always bytes that stand for themselves: those are used where they are. */
static bool decode_steps(struct native_strip *strip, struct native_column *column, size_t n,
                         uint64_t limit) {
    bool narrow = column->width == 1 && column->encoding == ENCODING_PLAIN && !column->base;
    strip->narrow = NULL;
    if (!narrow || n > column->count - column->taken)
        return native_column_decode(column, strip->step, n, limit);
    strip->narrow = column->planes + column->taken;
    unsigned char most = 0;
    for (size_t i = 0; i < n; i++)
        most = strip->narrow[i] > most ? strip->narrow[i] : most;
    column->taken += (uint32_t)n;
    return most < limit;
}

static inline __attribute__((always_inline)) uint32_t step_at(const struct native_strip *strip,
                                                              size_t i, bool narrow) {
    return narrow ? strip->narrow[i] : strip->step[i];
}

/* The low bits of a step. */
static inline uint64_t step_op(uint32_t step, unsigned op_bits) {
    return step & ((1U << op_bits) - 1);
}

/* Operations come in pairs that share a column, so that the half of one says which. */
_Static_assert(ST_WRITE / 2 == 0 && ST_ACQUIRE / 2 == 1 && ST_RELEASE / 2 == 1 &&
                   ST_FORK / 2 == 2 && ST_JOIN / 2 == 2 && ST_BEGIN / 2 == 3 && ST_END / 2 == 3 &&
                   ST_SEND / 2 == 4 && ST_RECEIVE / 2 == 4 && ST_OP_COUNT / 2 == 5,
               "pairs of operations are in the order of their columns");

/* Counters of a byte, so that this becomes vector code; they hold so many. */
enum { COUNTED_AT_ONCE = 128 };
static void count_bytes(const unsigned char *restrict steps, size_t n, unsigned char op_mask,
                        size_t counts[NATIVE_TARGET_COLUMNS]) {
    unsigned char some[NATIVE_TARGET_COLUMNS] = {0};
    for (size_t i = 0; i < n; i++) {
        unsigned char pair = (steps[i] & op_mask) >> 1;
        for (unsigned k = 0; k < NATIVE_TARGET_COLUMNS; k++)
            some[k] = (unsigned char)(some[k] + (pair == k));
    }
    for (unsigned k = 0; k < NATIVE_TARGET_COLUMNS; k++)
        counts[k] += some[k];
}

static void count_narrow(const unsigned char *steps, size_t n, unsigned op_bits,
                         size_t counts[NATIVE_TARGET_COLUMNS]) {
    for (size_t i = 0; i < n; i += COUNTED_AT_ONCE)
        count_bytes(steps + i, n - i < COUNTED_AT_ONCE ? n - i : COUNTED_AT_ONCE,
                    (unsigned char)((1U << op_bits) - 1), counts);
}

static void count_wide(const uint32_t *steps, size_t n, unsigned op_bits,
                       size_t counts[NATIVE_TARGET_COLUMNS]) {
    uint64_t counters = 0;
    for (size_t i = 0; i < n; i++)
        counters += one_of_op[step_op(steps[i], op_bits)];
    for (unsigned i = 0; i < NATIVE_TARGET_COLUMNS; i++)
        counts[i] = counter(counters, FIELD(i));
}

/* How many values of each target column the next n events take. False when one of them has an
 * operation that does not exist. */
static bool count_targets(const struct native_strip *strip, size_t n, unsigned op_bits,
                          size_t counts[NATIVE_TARGET_COLUMNS]) {
    size_t sum = 0;
    memset(counts, 0, NATIVE_TARGET_COLUMNS * sizeof *counts);
    if (strip->narrow)
        count_narrow(strip->narrow, n, op_bits, counts);
    else
        count_wide(strip->step, n, op_bits, counts);
    for (unsigned i = 0; i < NATIVE_TARGET_COLUMNS; i++)
        sum += counts[i];
    return sum == n;
}

static bool decode_targets(struct native_strip *strip, struct native_column *columns,
                           const struct st_symbols *symbols, uint32_t variables,
                           const size_t counts[NATIVE_TARGET_COLUMNS]) {
    uint32_t *target = strip->target;
    const uint64_t limits[NATIVE_TARGET_COLUMNS] = {
        variables, symbols->locks.count, symbols->threads.count,
        (uint64_t)symbols->blocks.count + 1, symbols->channels.count};
    bool good = true;
    for (size_t i = 0; i < NATIVE_TARGET_COLUMNS; i++)
        good &= native_column_decode(&columns[target_columns[i]], target + i * NATIVE_STRIP,
                                     counts[i], limits[i]);
    for (size_t i = 0; i < counts[BLOCK_COLUMN]; i++)
        target[BLOCK_COLUMN * NATIVE_STRIP + i] -= 1; /* 0 becomes ST_NO_NAME */
    return good;
}

/* Puts the columns of a strip together. Event i takes the next value of its target column. */
static inline __attribute__((always_inline)) void weave_steps(const struct native_strip *strip,
                                                              struct st_event *events, size_t n,
                                                              bool narrow, unsigned op_bits) {
    uint64_t counters = 0; /* where in strip->target the next value of each column is */
    for (unsigned i = 0; i < NATIVE_TARGET_COLUMNS; i++)
        counters |= (uint64_t)i * NATIVE_STRIP << FIELD(i);
    for (size_t i = 0; i < n; i++) {
        uint32_t step = step_at(strip, i, narrow);
        uint64_t op = step_op(step, op_bits);
        uint32_t target = strip->target[counter(counters, field_of_op[op])];
        counters += one_of_op[op];
        events[i] = st_event_make(step >> op_bits, target, strip->loc[i], op);
    }
}

/* Shifting by a number that the compiler knows is quicker, so the usual case stands by itself. */
static void weave(const struct native_strip *strip, struct st_event *events, size_t n,
                  unsigned op_bits) {
    if (strip->narrow && op_bits == STEP_OP_BITS)
        weave_steps(strip, events, n, true, STEP_OP_BITS);
    else if (strip->narrow)
        weave_steps(strip, events, n, true, op_bits);
    else
        weave_steps(strip, events, n, false, op_bits);
}

const char *native_strip_decode(struct native_strip *strip, struct native_column *columns,
                                const struct st_symbols *symbols, uint32_t variables,
                                unsigned op_bits, struct st_event *events, size_t n) {
    size_t counts[NATIVE_TARGET_COLUMNS];
    if (!decode_steps(strip, &columns[COLUMN_STEP], n, (uint64_t)symbols->threads.count << op_bits))
        return "an event has a thread without a name";
    if (!count_targets(strip, n, op_bits, counts))
        return "an event has an operation that does not exist";
    if (!decode_targets(strip, columns, symbols, variables, counts))
        return "an event has a target without a name";
    native_column_decode_wide(&columns[COLUMN_LOC], strip->loc, n);
    if (!make_locations(strip->loc, n, symbols->locations.count))
        return "an event has a location without a name";
    weave(strip, events, n, op_bits);
    return NULL;
}

/* ---- marks ---- */

const char *native_marks_take(struct native_marks *marks, const unsigned char *payload,
                              size_t size) {
    uint32_t events = size < MARKS_HEAD_SIZE ? 0 : get_u32(payload);
    if (marks->wait || !events || size != MARKS_HEAD_SIZE + ((size_t)events + 7) / 8)
        return "its marks of atomic events make no sense";
    st_reserve(&marks->bits, &marks->capacity, size);
    memcpy(marks->bits, payload + MARKS_HEAD_SIZE, size - MARKS_HEAD_SIZE);
    marks->events = events;
    marks->wait = true;
    return NULL;
}

bool native_marks_fit(struct native_marks *marks, uint32_t events) {
    if (!marks->wait)
        marks->events = 0;
    marks->wait = false;
    return !marks->events || marks->events == events;
}

static bool is_marked(const struct native_marks *marks, size_t event) {
    return event < marks->events && (marks->bits[event / 8] >> event % 8 & 1);
}

void native_marks_put(const struct native_marks *atomic, const struct native_marks *joined,
                      size_t first, struct st_event *events, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool begin = events[i].op == ST_BEGIN, access = events[i].op <= ST_WRITE;
        bool marked = is_marked(joined, first + i);
        bool acquire = events[i].op == ST_ACQUIRE;
        events[i].atomic = is_marked(atomic, first + i) && (begin || access || acquire);
        events[i].joined = ((events[i].atomic && !acquire) || begin) && marked;
        events[i].fresh = access && !events[i].atomic && marked;
    }
}
