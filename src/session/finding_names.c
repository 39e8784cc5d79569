#include "session/finding_names.h"

#include "base/memory.h"
#include "report/context_details.h"
#include "watch/describe.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that something was said about, one bit each. */
struct wanted {
    unsigned char *bits;
    size_t capacity;
};

/* Invariant: the tables of `symbols` are the translator's, but for variables, locations and
 * contexts, which are ours. */
struct words {
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

static void want_loc(struct words *words, uint64_t loc) {
    if (loc & ST_LOC_NAME)
        want(&words->sites, loc & ~ST_LOC_NAME);
}

static void want_place(struct words *words, const struct st_place *place) {
    if (!place->number)
        return;
    if (place->event.written <= ST_WRITE)
        want(&words->variables, place->event.target);
    want_loc(words, place->event.loc);
}

static void want_edges(struct words *words, const struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        want_place(words, &edges[i].from);
        want_place(words, &edges[i].to);
    }
}

static void want_findings(struct words *words, const struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++) {
        const struct st_violation *violation = &findings->violations[i];
        want_loc(words, violation->begin_loc);
        want_place(words, &violation->event);
        want_edges(words, &violation->closing, 1);
        want_edges(words, violation->path, violation->path_length);
    }
    want_edges(words, findings->cycle, findings->cycle_length);
}

static void name_variables(struct words *words) {
    char name[ST_LONGEST_NAME];
    uint32_t count = st_translator_variable_count(words->translator);
    for (uint32_t i = 0; i < count; i++) {
        *name = '\0';
        if (is_wanted(&words->variables, i))
            st_translator_variable_name(words->translator, i, name, sizeof name);
        st_names_append(&words->symbols.variables, name, strlen(name));
    }
}

static void describe_sites(struct words *words) {
    struct st_describer *describer = st_describer_new(words->translator, &words->symbols);
    uint32_t count = st_sites_count(st_translator_sites(words->translator));
    for (uint32_t i = 0; i < count; i++)
        st_describe_next(describer, is_wanted(&words->sites, i));
    st_describer_free(describer);
}

struct words *words_new(struct st_translator *translator, const struct st_findings *findings) {
    struct words *words = st_alloc(1, sizeof *words);
    words->translator = translator;
    words->symbols = *st_translator_symbols(translator);
    words->contexts.symbols = &words->symbols;
    st_names_init(&words->symbols.variables);
    st_names_init(&words->symbols.locations);
    st_contexts_init(&words->symbols.contexts);
    want_findings(words, findings);
    name_variables(words);
    describe_sites(words);
    return words;
}

void words_free(struct words *words) {
    st_names_free(&words->symbols.variables);
    st_names_free(&words->symbols.locations);
    st_contexts_free(&words->symbols.contexts);
    st_context_details_free(&words->contexts);
    free(words->variables.bits);
    free(words->sites.bits);
    free(words);
}

const struct st_symbols *words_symbols(const struct words *words) {
    return &words->symbols;
}

struct st_details words_details(struct words *words) {
    return (struct st_details){st_context_details_lookup, &words->contexts};
}
