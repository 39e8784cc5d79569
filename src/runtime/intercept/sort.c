/* qsort moves the program's memory about, unseen between the calls of the function that compares:
 * as far as others can tell, it writes all of it. */
#define _GNU_SOURCE
#include "runtime/core/runtime.h"

#include <stdlib.h>

typedef int compare(const void *, const void *);
typedef int compare_with(const void *, const void *, void *);

RT_REAL(void, qsort, void *, size_t, size_t, compare *)
RT_REAL(void, qsort_r, void *, size_t, size_t, compare_with *, void *)

static void sorts(const void *array, size_t size, uintptr_t caller) {
    if (rt_enter()) {
        rt_read_range((uintptr_t)array, size, caller);
        rt_write_range((uintptr_t)array, size, caller);
        rt_leave();
    }
}

RT_EXPORT void qsort(void *array, size_t count, size_t size, compare *order) {
    if (count > 1)
        sorts(array, count * size, RT_CALLER);
    real_qsort()(array, count, size, order);
}

RT_EXPORT void qsort_r(void *array, size_t count, size_t size, compare_with *order, void *with) {
    if (count > 1)
        sorts(array, count * size, RT_CALLER);
    real_qsort_r()(array, count, size, order, with);
}
