#include "trace/std_marks.h"

#define TIMES_4(x) x, x, x, x
#define TIMES_32(x)                                                                                \
    TIMES_4(x), TIMES_4(x), TIMES_4(x), TIMES_4(x), TIMES_4(x), TIMES_4(x), TIMES_4(x), TIMES_4(x)

const struct st_std_bytes st_std_bytes = {
    .end = {TIMES_32('\n')},
    .bar = {TIMES_32('|')},
    .zero = {TIMES_32('0')},
    .nine = {TIMES_32(9)},
    .low_half = {TIMES_4(15), TIMES_4(15), TIMES_4(15), TIMES_4(15)},
};

const char st_std_masks[64 + 32] = {TIMES_32(-1), TIMES_32(-1)};

const uint32_t st_least_of_digits[64] = {
    UINT32_MAX,
    0,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    TIMES_32(UINT32_MAX),
    TIMES_4(UINT32_MAX),
    TIMES_4(UINT32_MAX),
    TIMES_4(UINT32_MAX),
    TIMES_4(UINT32_MAX),
    TIMES_4(UINT32_MAX),
    UINT32_MAX,
    UINT32_MAX,
    UINT32_MAX,
};
