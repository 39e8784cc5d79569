#include "session/seen.h"

#include "base/memory.h"
#include "symbol/user_code.h"

#include <stdlib.h>
#include <string.h>

/* Each place takes a look at the debug information; what is beyond is left out. */
enum { MOST_SITES = 4096 };

static void add_name(struct st_names *names, const char *name) {
    st_names_add(names, name, strlen(name));
}

static const char *const *list_of(const struct st_names *names) {
    const char **list = st_alloc((size_t)names->count + 1, sizeof *list);
    for (uint32_t i = 0; i < names->count; i++)
        list[i] = st_name(names, i);
    return list;
}

static void find_functions(struct st_seen *seen, struct st_translator *translator) {
    size_t count = st_translator_function_count(translator);
    for (size_t i = 0; i < count; i++) {
        struct st_seen_function function = st_translator_function(translator, i);
        if (function.hidden)
            continue;
        seen->coverage.functions++;
        if (function.was_block)
            continue;
        add_name(function.outermost ? &seen->starts : &seen->unselected, function.name);
    }
}

/* Those of the user's own that were inlined into the function that holds the return address. */
static void find_inlined_at(struct st_seen *seen, struct st_places *places, uint64_t pc) {
    struct st_code code, next;
    if (!st_places_frame(places, pc, 0, &code))
        return;
    for (size_t depth = 1; st_places_frame(places, pc, depth, &next); depth++) {
        if (code.line && st_is_user_code(code.function, code.file))
            add_name(&seen->inlined, code.function);
        code = next;
    }
}

static void find_inlined(struct st_seen *seen, struct st_translator *translator) {
    const struct st_sites *sites = st_translator_sites(translator);
    uint32_t count = st_sites_count(sites);
    for (uint32_t i = 0; i < count && i < MOST_SITES; i++)
        find_inlined_at(seen, st_translator_places(translator), st_site(sites, i).pc);
}

static void find_modules(struct st_seen *seen, struct st_places *places) {
    for (size_t i = 0; i < st_places_module_count(places); i++)
        if (st_places_is_uninstrumented(places, i))
            add_name(&seen->uninstrumented, st_places_module_path(places, i));
}

void st_seen_find(struct st_seen *seen, struct st_translator *translator, bool spec) {
    struct st_names *names[] = {&seen->starts, &seen->unselected, &seen->inlined,
                                &seen->uninstrumented};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        st_names_init(names[i]);
    find_functions(seen, translator);
    find_inlined(seen, translator);
    find_modules(seen, st_translator_places(translator));
    seen->coverage.spec = spec;
    seen->coverage.starts = list_of(&seen->starts);
    seen->coverage.unselected = list_of(&seen->unselected);
    seen->coverage.inlined = list_of(&seen->inlined);
    seen->coverage.uninstrumented = list_of(&seen->uninstrumented);
}

void st_seen_free(struct st_seen *seen) {
    if (!seen->coverage.starts)
        return;
    st_names_free(&seen->starts);
    st_names_free(&seen->unselected);
    st_names_free(&seen->inlined);
    st_names_free(&seen->uninstrumented);
    free((void *)seen->coverage.starts);
    free((void *)seen->coverage.unselected);
    free((void *)seen->coverage.inlined);
    free((void *)seen->coverage.uninstrumented);
}
