/* Binary search.
 *
 * st_lower_bound(at, low, high, items[at].key < key) makes `at` the first index from `low` to
 * `high` for which the condition is false, or `high`. The condition is an expression in `at`; in
 * that range it must be true first and false from some index on. `at` is a variable of any unsigned
 * type; `low` and `high` are evaluated once, before it is first changed. */
#ifndef SERIATIM_BASE_LOWER_BOUND_H
#define SERIATIM_BASE_LOWER_BOUND_H

#define st_lower_bound(at, low, high, condition)                                                   \
    do {                                                                                           \
        __typeof__(at) st_low_ = (low), st_high_ = (high);                                         \
        while (st_low_ < st_high_) {                                                               \
            (at) = st_low_ + (st_high_ - st_low_) / 2;                                             \
            if (condition)                                                                         \
                st_low_ = (at) + 1;                                                                \
            else                                                                                   \
                st_high_ = (at);                                                                   \
        }                                                                                          \
        (at) = st_low_;                                                                            \
    } while (0)

#endif
