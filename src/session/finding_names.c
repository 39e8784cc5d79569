#include "session/finding_names.h"

#include "base/bits.h"
#include "base/map64.h"
#include "base/memory.h"
#include "report/context_details.h"
#include "watch/describe.h"

#include <stdlib.h>
#include <string.h>

/* Invariant: the tables of `symbols` are the translator's, except for threads, variables,
 * locations and contexts, which are ours. */
struct st_finding_names {
    struct st_translator *translator;
    struct st_symbols symbols;
    struct st_bits variables;  /* those that were mentioned */
    struct st_map64 locations; /* likewise, as they are in the run */
    struct st_describer *describer;
    struct st_context_details contexts;
};

static void want_place(struct st_finding_names *names, const struct st_place *place) {
    if (place->number && place->event.written <= ST_WRITE && place->event.target != ST_NO_NAME)
        st_bits_add(&names->variables, place->event.target);
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
        want_place(names, &violation->event);
        want_edges(names, &violation->closing, 1);
        want_edges(names, violation->path, violation->path_length);
    }
    want_edges(names, findings->cycle, findings->cycle_length);
}

/* As the program calls them. Names that are equal to those of others say so. */
static void name_threads(struct st_finding_names *names, const struct st_names *usual) {
    char name[ST_LONGEST_NAME];
    for (uint32_t i = 0; i < usual->count; i++) {
        st_translator_thread_name(names->translator, i, name, sizeof name);
        st_names_append(&names->symbols.threads, name, strlen(name));
    }
}

static void name_variables(struct st_finding_names *names) {
    char name[ST_LONGEST_NAME];
    uint32_t count = st_translator_variable_count(names->translator);
    for (uint32_t i = 0; i < count; i++) {
        *name = '\0';
        if (st_bits_has(&names->variables, i))
            st_translator_variable_name(names->translator, i, name, sizeof name);
        st_names_append(&names->symbols.variables, name, strlen(name));
    }
}

/* The location in our symbols. */
static uint64_t describe(void *context, uint64_t loc) {
    struct st_finding_names *names = context;
    struct st_site_at at = st_site_at(st_translator_sites(names->translator), loc);
    if (at.number == UINT32_MAX)
        return loc;
    uint32_t known = names->locations.count, number = st_map64_number(&names->locations, loc);
    if (number == known)
        st_describe_next(names->describer, at);
    return ST_LOC_NAME | number;
}

struct st_finding_names *st_finding_names_new(struct st_translator *translator,
                                              struct st_findings *findings) {
    struct st_finding_names *names = st_alloc(1, sizeof *names);
    names->translator = translator;
    names->symbols = *st_translator_symbols(translator);
    names->contexts.symbols = &names->symbols;
    st_names_init(&names->symbols.threads);
    st_names_init(&names->symbols.variables);
    st_names_init(&names->symbols.locations);
    st_contexts_init(&names->symbols.contexts);
    st_map64_init(&names->locations);
    names->describer = st_describer_new(translator, &names->symbols);
    want_findings(names, findings);
    name_threads(names, &st_translator_symbols(translator)->threads);
    name_variables(names);
    st_findings_map_locations(findings, describe, names);
    return names;
}

void st_finding_names_free(struct st_finding_names *names) {
    st_names_free(&names->symbols.threads);
    st_names_free(&names->symbols.variables);
    st_names_free(&names->symbols.locations);
    st_contexts_free(&names->symbols.contexts);
    st_context_details_free(&names->contexts);
    st_bits_free(&names->variables);
    st_map64_free(&names->locations);
    st_describer_free(names->describer);
    free(names);
}

const struct st_symbols *st_finding_names_symbols(const struct st_finding_names *names) {
    return &names->symbols;
}

struct st_details st_finding_names_details(struct st_finding_names *names) {
    return (struct st_details){st_context_details_lookup, &names->contexts};
}
