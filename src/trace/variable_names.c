#include "trace/variable_names.h"

#include "base/memory.h"

#include <stdlib.h>

void st_variable_names_init(struct st_variable_names *names) {
    *names = (struct st_variable_names){.known = 0};
    st_names_init(&names->different);
}

void st_variable_names_free(struct st_variable_names *names) {
    st_names_free(&names->different);
    free(names->counts);
    free(names->nth);
}

void st_variable_names_update(struct st_variable_names *names, const struct st_symbols *symbols) {
    const struct st_names *variables = &symbols->variables;
    st_reserve(&names->nth, &names->nth_capacity, variables->count);
    for (; names->known < variables->count; names->known++) {
        uint32_t i = (uint32_t)names->known;
        uint32_t name =
            st_names_add(&names->different, st_name(variables, i), st_name_length(variables, i));
        st_reserve(&names->counts, &names->count_capacity, (size_t)name + 1);
        names->nth[i] = ++names->counts[name];
    }
}
