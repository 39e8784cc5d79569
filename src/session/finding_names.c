#include "session/finding_names.h"

#include "base/memory.h"
#include "report/context_details.h"
#include "watch/describe.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that were mentioned, one bit each. */
struct wanted {
    unsigned char *bits;
    size_t capacity;
};

/* Invariant: the tables of `symbols` are the translator's, except for variables, locations and
 * contexts, which are ours. */
struct st_finding_names {
    struct st_translator *translator;
    struct st_symbols symbols;
    struct wanted variables, sites;
    struct st_context_details contexts;
};

static void want(struct wanted *wanted, uint64_t number) {
    st_reserve(&wanted->bits, &wanted->capacity, (size_t)(number / 8) + 1);
    wanted->bits[number / 8] |= (unsigned char)(1u << number % 8);
}

static bool is_wanted(const struct wanted *wanted, uint64_t number) {
    return number / 8 < wanted->capacity && wanted->bits[number / 8] >> number % 8 & 1;
}

static void want_loc(struct st_finding_names *names, uint64_t loc) {
    if (loc & ST_LOC_NAME)
        want(&names->sites, loc & ~ST_LOC_NAME);
}

static void want_place(struct st_finding_names *names, const struct st_place *place) {
    if (!place->number)
        return;
    if (place->event.written <= ST_WRITE)
        want(&names->variables, place->event.target);
    want_loc(names, place->event.loc);
}

static void want_edges(struct st_finding_names *names, const struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        want_place(names, &edges[i].from);
        want_place(names, &edges[i].to);
    }
}

static void want_findings(struct st_finding_names *names, const struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++) {
        const struct st_violation *violation = &findings->violations[i];
        want_loc(names, violation->begin_loc);
        want_place(names, &violation->event);
        want_edges(names, &violation->closing, 1);
        want_edges(names, violation->path, violation->path_length);
    }
    want_edges(names, findings->cycle, findings->cycle_length);
}

static void name_variables(struct st_finding_names *names) {
    char name[ST_LONGEST_NAME];
    uint32_t count = st_translator_variable_count(names->translator);
    for (uint32_t i = 0; i < count; i++) {
        *name = '\0';
        if (is_wanted(&names->variables, i))
            st_translator_variable_name(names->translator, i, name, sizeof name);
        st_names_append(&names->symbols.variables, name, strlen(name));
    }
}

static void describe_sites(struct st_finding_names *names) {
    struct st_describer *describer = st_describer_new(names->translator, &names->symbols);
    uint32_t count = st_sites_count(st_translator_sites(names->translator));
    for (uint32_t i = 0; i < count; i++)
        st_describe_next(describer, is_wanted(&names->sites, i));
    st_describer_free(describer);
}

struct st_finding_names *st_finding_names_new(struct st_translator *translator,
                                              const struct st_findings *findings) {
    struct st_finding_names *names = st_alloc(1, sizeof *names);
    names->translator = translator;
    names->symbols = *st_translator_symbols(translator);
    names->contexts.symbols = &names->symbols;
    st_names_init(&names->symbols.variables);
    st_names_init(&names->symbols.locations);
    st_contexts_init(&names->symbols.contexts);
    want_findings(names, findings);
    name_variables(names);
    describe_sites(names);
    return names;
}

void st_finding_names_free(struct st_finding_names *names) {
    st_names_free(&names->symbols.variables);
    st_names_free(&names->symbols.locations);
    st_contexts_free(&names->symbols.contexts);
    st_context_details_free(&names->contexts);
    free(names->variables.bits);
    free(names->sites.bits);
    free(names);
}

const struct st_symbols *st_finding_names_symbols(const struct st_finding_names *names) {
    return &names->symbols;
}

struct st_details st_finding_names_details(struct st_finding_names *names) {
    return (struct st_details){st_context_details_lookup, &names->contexts};
}
