#include "cli/words.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that something was said about, one bit each. */
struct wanted {
    unsigned char *bits;
    size_t capacity;
};

/* Invariant: the tables of `symbols` are the translator's, but for variables and locations, which
 * are ours. The lists are those of the last answer. */
struct words {
    struct st_translator *translator;
    struct st_symbols symbols;
    struct wanted variables, sites;
    const char **stack, **locks;
    size_t stack_count, stack_capacity, lock_count, lock_capacity;
    char **texts; /* locations in the stack */
    size_t text_count, text_capacity;
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

static void name_locations(struct words *words) {
    char name[ST_LONGEST_NAME];
    const struct st_sites *sites = st_translator_sites(words->translator);
    uint32_t count = st_sites_count(sites);
    for (uint32_t i = 0; i < count; i++) {
        *name = '\0';
        if (is_wanted(&words->sites, i))
            st_places_location(st_translator_places(words->translator), st_site(sites, i).pc, name,
                               sizeof name);
        st_names_append(&words->symbols.locations, name, strlen(name));
    }
}

struct words *words_new(struct st_translator *translator, const struct st_findings *findings) {
    struct words *words = st_alloc(1, sizeof *words);
    words->translator = translator;
    words->symbols = *st_translator_symbols(translator);
    st_names_init(&words->symbols.variables);
    st_names_init(&words->symbols.locations);
    want_findings(words, findings);
    name_variables(words);
    name_locations(words);
    return words;
}

static void forget_answer(struct words *words) {
    while (words->text_count)
        free(words->texts[--words->text_count]);
    words->stack_count = words->lock_count = 0;
}

void words_free(struct words *words) {
    forget_answer(words);
    st_names_free(&words->symbols.variables);
    st_names_free(&words->symbols.locations);
    free(words->variables.bits);
    free(words->sites.bits);
    free(words->stack);
    free(words->locks);
    free(words->texts);
    free(words);
}

const struct st_symbols *words_symbols(const struct words *words) {
    return &words->symbols;
}

/* ---- details ---- */

static void add(const char ***list, size_t *count, size_t *capacity, const char *text) {
    st_reserve(list, capacity, *count + 2);
    (*list)[(*count)++] = text;
    (*list)[*count] = NULL;
}

static const char *keep(struct words *words, const char *text) {
    st_reserve(&words->texts, &words->text_capacity, words->text_count + 1);
    return words->texts[words->text_count++] = st_strdup(text);
}

static void add_frame(struct words *words, const struct st_code *code, const char *instead) {
    char location[ST_LONGEST_NAME];
    if (code->line)
        snprintf(location, sizeof location, "%s:%u", code->file, code->line);
    else
        snprintf(location, sizeof location, "%s", *code->file ? code->file : instead);
    add(&words->stack, &words->stack_count, &words->stack_capacity, keep(words, code->function));
    add(&words->stack, &words->stack_count, &words->stack_capacity, keep(words, location));
}

/* All frames at the return address: those of inlined functions, and the one that they are in. */
static void add_frames(struct words *words, uint64_t pc) {
    struct st_places *places = st_translator_places(words->translator);
    struct st_code code;
    char instead[ST_LONGEST_NAME];
    st_places_location(places, pc, instead, sizeof instead);
    for (size_t depth = 0; st_places_frame(places, pc, depth, &code); depth++)
        add_frame(words, &code, instead);
}

static void add_calls(struct words *words, uint32_t number) {
    const struct st_sites *sites = st_translator_sites(words->translator);
    while (number) {
        struct st_call call = st_call(sites, number);
        if (call.called_from)
            add_frames(words, call.called_from);
        number = call.caller;
    }
}

static void add_locks(struct words *words, uint32_t number) {
    const struct st_sites *sites = st_translator_sites(words->translator);
    while (number) {
        struct st_held held = st_held(sites, number);
        add(&words->locks, &words->lock_count, &words->lock_capacity,
            st_name(&words->symbols.locks, held.lock));
        number = held.rest;
    }
}

void words_tell(void *context, uint64_t loc, struct st_detail *detail) {
    static const char *const nothing[] = {NULL};
    struct words *words = context;
    forget_answer(words);
    *detail = (struct st_detail){"", nothing, nothing};
    if (!(loc & ST_LOC_NAME))
        return;
    struct st_site site =
        st_site(st_translator_sites(words->translator), (uint32_t)(loc & ~ST_LOC_NAME));
    add_frames(words, site.pc);
    add_calls(words, site.call);
    add_locks(words, site.held);
    detail->function = words->stack[0];
    detail->stack = words->stack;
    if (words->lock_count)
        detail->locks = words->locks;
}
