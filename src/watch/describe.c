#include "watch/describe.h"

#include "base/memory.h"
#include "symbol/user_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arrays by call and by address hold what was found plus 1, or 0 where nothing was looked up yet.
 */
struct st_describer {
    struct st_translator *translator;
    const struct st_sites *sites;
    struct st_symbols *symbols;
    struct st_pairs frames; /* function and line, caller: frame n is pair n */
    uint32_t *stacks;       /* by call: the frame of its caller */
    size_t stack_capacity;
    struct st_pairs places; /* address and caller */
    uint32_t *place_frames; /* by their number: the innermost frame there */
    size_t place_capacity;
    uint32_t held; /* sets of locks that are in the contexts */

    /* For events: sites below `described` have the location rows[site]. */
    uint32_t *rows, described;
    size_t row_capacity;
    struct st_pairs distinct; /* location n is pair n + 1 */
};

struct st_describer *st_describer_new(struct st_translator *translator,
                                      struct st_symbols *symbols) {
    struct st_describer *d = st_alloc(1, sizeof *d);
    d->translator = translator;
    d->sites = st_translator_sites(translator);
    d->symbols = symbols;
    symbols->contexts.kept = true;
    return d;
}

void st_describer_free(struct st_describer *d) {
    if (!d)
        return;
    st_pairs_free(&d->frames);
    st_pairs_free(&d->places);
    st_pairs_free(&d->distinct);
    free(d->rows);
    free(d->stacks);
    free(d->place_frames);
    free(d);
}

/* ---- frames ---- */

static uint32_t add_name(struct st_names *names, const char *text) {
    return st_names_add(names, text, strlen(text));
}

static uint32_t add_frame(struct st_describer *d, const struct st_code *code, const char *instead,
                          uint32_t caller) {
    struct st_contexts *contexts = &d->symbols->contexts;
    char line[ST_LONGEST_NAME];
    if (code->line)
        snprintf(line, sizeof line, "%s:%u", code->file, code->line);
    else
        snprintf(line, sizeof line, "%s", *code->file ? code->file : instead);
    struct st_frame_row row = {add_name(&contexts->functions, code->function),
                               add_name(&contexts->lines, line), caller};
    uint32_t number =
        st_pairs_number(&d->frames, (uint64_t)row.function << 32 | row.line, row.caller);
    if (number > contexts->frame_count)
        st_contexts_frame(contexts, row);
    return number;
}

/* All frames at the return address, those of inlined functions and the one that they are in, called
 * from `caller`. The innermost of them. */
static uint32_t frames_at(struct st_describer *d, uint64_t pc, uint32_t caller) {
    struct st_places *places = st_translator_places(d->translator);
    uint32_t place = st_pairs_number(&d->places, pc, caller);
    st_reserve(&d->place_frames, &d->place_capacity, (size_t)place + 1);
    if (d->place_frames[place])
        return d->place_frames[place];
    char instead[ST_LONGEST_NAME];
    struct st_code code;
    size_t depth = 0;
    st_places_location(places, pc, instead, sizeof instead);
    while (st_places_frame(places, pc, depth, &code))
        depth++;
    while (depth-- > 0)
        if (st_places_frame(places, pc, depth, &code))
            caller = add_frame(d, &code, instead, caller);
    return d->place_frames[place] = caller;
}

/* The stack that a call was made from. Callers come first, and there may be many: those that are
 * not known yet are in a list, and not in a recursion. */
static uint32_t stack_of(struct st_describer *d, uint32_t call) {
    uint32_t *todo = NULL, frame = 0;
    size_t count = 0, capacity = 0;
    st_reserve(&d->stacks, &d->stack_capacity, (size_t)d->sites->calls.count + 1);
    for (; call && !d->stacks[call]; call = st_call(d->sites, call).caller) {
        st_reserve(&todo, &capacity, count + 1);
        todo[count++] = call;
    }
    if (call)
        frame = d->stacks[call] - 1;
    while (count) {
        call = todo[--count];
        uint64_t from = st_call(d->sites, call).called_from;
        if (from && !st_places_is_between(st_translator_places(d->translator), from))
            frame = frames_at(d, from, frame);
        d->stacks[call] = frame + 1;
    }
    free(todo);
    return frame;
}

/* ---- sites ---- */

/* Sets of locks have the same numbers as in the sites. */
static void add_held(struct st_describer *d) {
    for (; d->held < d->sites->locks.count; d->held++) {
        struct st_held held = st_held(d->sites, d->held + 1);
        struct st_held_row row = {.lock = held.lock, .rest = held.rest};
        if (held.acquired) {
            struct st_acquire acquire = st_acquire(d->sites, held.acquired);
            row.frame = frames_at(d, acquire.pc, stack_of(d, acquire.call));
        }
        st_contexts_held(&d->symbols->contexts, row);
    }
}

/* The line of the innermost frame that is the user's own; `line` where none is. */
static uint32_t find_user_line(const struct st_describer *d, uint32_t frame, uint32_t line) {
    const struct st_contexts *contexts = &d->symbols->contexts;
    for (; frame; frame = contexts->frames[frame - 1].caller) {
        const struct st_frame_row *row = &contexts->frames[frame - 1];
        if (st_is_user_code(st_name(&contexts->functions, row->function),
                            st_name(&contexts->lines, row->line)))
            return row->line;
    }
    return line;
}

static struct st_site_row describe(struct st_describer *d, uint32_t number) {
    struct st_site site = st_site(d->sites, number);
    char line[ST_LONGEST_NAME];
    st_places_location(st_translator_places(d->translator), site.pc, line, sizeof line);
    struct st_site_row row = {.call = stack_of(d, site.call)};
    row.frame = frames_at(d, site.pc, row.call);
    row.line = find_user_line(d, row.frame, add_name(&d->symbols->contexts.lines, line));
    return row;
}

void st_describe_next(struct st_describer *d, struct st_site_at at) {
    add_held(d);
    struct st_site_row row = describe(d, at.number);
    row.held = at.held;
    st_symbols_site(d->symbols, row);
}

static __attribute__((noinline)) void describe_new(struct st_describer *d) {
    uint32_t count = st_sites_count(d->sites);
    st_reserve(&d->rows, &d->row_capacity, count);
    for (; d->described < count; d->described++) {
        struct st_site_row row = describe(d, d->described);
        uint32_t number =
            st_pairs_number(&d->distinct, (uint64_t)row.line << 32 | row.frame, row.call);
        if (number > d->symbols->contexts.site_count)
            st_symbols_site(d->symbols, row);
        d->rows[d->described] = number - 1;
    }
}

void st_describe_events(struct st_describer *d, struct st_event *events, size_t count) {
    if (d->described < st_sites_count(d->sites))
        describe_new(d);
    for (size_t i = 0; i < count; i++)
        if (events[i].loc & ST_LOC_NAME)
            events[i].loc = ST_LOC_NAME | d->rows[st_site_at(d->sites, events[i].loc).number];
}
