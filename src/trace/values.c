#include "trace/values.h"

#include "base/memory.h"

#include <stdlib.h>

/* 0 stands for what is not known, and so does the value for which there is no number left. */
static uint32_t number_of(struct st_value_list *list, uint64_t value) {
    return st_map64_number(&list->numbers, value) + 1;
}

void st_value_list_add(struct st_value_list *list, const struct st_access_value *values,
                       size_t count, uint64_t first) {
    if (!values || first - 1 + count > ST_MOST_VALUES)
        return;
    if (!list->has_numbers)
        st_map64_init(&list->numbers);
    list->has_numbers = true;
    list->count = (size_t)first - 1 + count;
    st_reserve(&list->list, &list->capacity, list->count);
    for (size_t i = 0; i < count; i++) {
        struct st_value_numbers *numbers = &list->list[first - 1 + i];
        if (values[i].known & ST_HELD_KNOWN)
            numbers->held = number_of(list, values[i].held);
        if (values[i].known & ST_LEFT_KNOWN)
            numbers->left = number_of(list, values[i].left);
    }
}

void st_value_list_free(struct st_value_list *list) {
    free(list->list);
    if (list->has_numbers)
        st_map64_free(&list->numbers);
}
