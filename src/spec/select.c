#include "spec/select.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* An end disappears with its begin, so a thread remembers which of its open blocks are atomic. */
struct thread {
    bool *atomic; /* of its open blocks, the outermost first */
    size_t depth, capacity;
};

/* Ranks of the names seen so far, plus one; 0 means not seen yet. */
struct ranks {
    size_t *known, capacity;
};

struct st_selection {
    const struct st_spec *spec; /* NULL: all blocks are atomic */
    bool starts;                /* what threads start with, too */
    const struct st_symbols *symbols;
    bool by_file; /* files matter */
    struct thread *threads;
    size_t thread_capacity;
    struct ranks functions; /* by block name */
    struct ranks files;     /* by location name */
    uint64_t cutoff;        /* of arrays; UINT64_MAX: none */
    struct ranks elements;  /* by variable: 1 if it counts, 2 if it is beyond the cut-off */
    size_t unnamed_rank;    /* of blocks without a name */
    size_t no_file_rank;    /* of locations without a file */
    struct st_selected selected;
    bool counted; /* calls that have no events */
};

struct st_selection *st_selection_new(const struct st_spec *spec, const struct st_symbols *symbols,
                                      bool starts) {
    struct st_selection *selection = st_alloc(1, sizeof *selection);
    selection->spec = spec;
    selection->starts = starts && (!spec || st_spec_wants_starts(spec));
    selection->symbols = symbols;
    selection->cutoff = spec ? st_spec_cutoff(spec) : UINT64_MAX;
    if (!spec)
        return selection;
    selection->by_file = st_spec_mentions(spec, ST_SPEC_FILE);
    selection->unnamed_rank = st_spec_rank(spec, ST_SPEC_FUNCTION, "");
    selection->no_file_rank = st_spec_rank(spec, ST_SPEC_FILE, "");
    return selection;
}

void st_selection_free(struct st_selection *selection) {
    if (!selection)
        return;
    for (size_t i = 0; i < selection->thread_capacity; i++)
        free(selection->threads[i].atomic);
    free(selection->threads);
    free(selection->functions.known);
    free(selection->files.known);
    free(selection->elements.known);
    free(selection->selected.executed);
    free(selection);
}

const struct st_selected *st_selection_selected(const struct st_selection *selection) {
    return &selection->selected;
}

static size_t function_rank(struct st_selection *selection, uint32_t block) {
    struct ranks *ranks = &selection->functions;
    if (block == ST_NO_NAME)
        return selection->unnamed_rank;
    st_reserve(&ranks->known, &ranks->capacity, (size_t)block + 1);
    if (!ranks->known[block])
        ranks->known[block] = 1 + st_spec_rank(selection->spec, ST_SPEC_FUNCTION,
                                               st_name(&selection->symbols->blocks, block));
    return ranks->known[block] - 1;
}

/* The length of the text without a ":21" at its end. */
static size_t without_number(const char *text, size_t length) {
    size_t digits = 0;
    while (digits < length && strchr("0123456789", text[length - digits - 1]))
        digits++;
    bool colon = digits && digits < length && text[length - digits - 1] == ':';
    return colon ? length - digits - 1 : length;
}

/* The rank of the file in "bank.c:21" or "bank.c:21:5". */
static size_t rank_of_location(const struct st_spec *spec, const char *location) {
    size_t length = without_number(location, strlen(location));
    length = without_number(location, length);
    char *file = st_strdup(location);
    file[length] = '\0';
    size_t rank = st_spec_rank(spec, ST_SPEC_FILE, file);
    free(file);
    return rank;
}

static size_t file_rank(struct st_selection *selection, uint64_t loc) {
    struct ranks *ranks = &selection->files;
    if (!(loc & ST_LOC_NAME))
        return selection->no_file_rank; /* just a number */
    uint32_t name = (uint32_t)(loc & ~ST_LOC_NAME);
    st_reserve(&ranks->known, &ranks->capacity, (size_t)name + 1);
    if (!ranks->known[name])
        ranks->known[name] =
            1 + rank_of_location(selection->spec, st_name(&selection->symbols->locations, name));
    return ranks->known[name] - 1;
}

static void count_calls(struct st_selected *selected, uint32_t block, uint64_t calls) {
    st_reserve(&selected->executed, &selected->executed_capacity, (size_t)block + 1);
    if (block >= selected->executed_count)
        selected->executed_count = (size_t)block + 1;
    selected->executed[block] += calls;
}

static void count_begin(struct st_selected *selected, const struct st_event *event) {
    selected->all++;
    if (event->target == ST_NO_NAME)
        selected->unnamed++;
    else
        count_calls(selected, event->target, !event->joined && !event->fresh);
}

static bool is_atomic(struct st_selection *selection, const struct st_event *event) {
    if (!selection->spec)
        return true;
    return st_spec_calls_atomic(selection->spec, function_rank(selection, event->target),
                                selection->by_file ? file_rank(selection, event->loc) : 0);
}

/* They are of functions that no thread starts with. */
static void count_silent(struct st_selection *selection, uint32_t block, uint64_t calls) {
    size_t file = selection->by_file ? selection->no_file_rank : 0;
    if (selection->spec &&
        !st_spec_calls_atomic(selection->spec, function_rank(selection, block), file))
        return;
    selection->selected.all += calls;
    count_calls(&selection->selected, block, calls);
}

void st_selection_count_silent(struct st_selection *selection) {
    const struct st_silent_calls *calls = &selection->symbols->left_out;
    for (size_t i = 0; i < calls->capacity && !selection->counted; i++)
        if (calls->list[i])
            count_silent(selection, (uint32_t)i, calls->list[i]);
    selection->counted = true;
}

static void on_begin(struct st_selection *selection, struct st_event *event) {
    st_reserve(&selection->threads, &selection->thread_capacity, (size_t)event->thread + 1);
    struct thread *thread = &selection->threads[event->thread];
    bool atomic = (selection->starts || !event->atomic) && is_atomic(selection, event);
    st_reserve(&thread->atomic, &thread->capacity, thread->depth + 1);
    thread->atomic[thread->depth++] = atomic;
    if (atomic)
        count_begin(&selection->selected, event);
    else
        event->op = ST_UNMARKED;
}

/* Every end has its begin: events are validated. */
static void on_end(struct st_selection *selection, struct st_event *event) {
    struct thread *thread = &selection->threads[event->thread];
    if (!thread->atomic[--thread->depth])
        event->op = ST_UNMARKED;
}

/* Has the name an index in brackets, as "grid[2][17]" does, that is not below the cut-off? */
static bool is_beyond(const char *name, uint64_t cutoff) {
    for (const char *at = name; (at = strchr(at, '[')); at++) {
        char *end;
        unsigned long long index = strtoull(at + 1, &end, 10);
        if (at[1] >= '0' && at[1] <= '9' && *end == ']' && index >= cutoff)
            return true;
    }
    return false;
}

/* An access to an element that is not watched is an event of its thread, and no access. */
static void on_access(struct st_selection *selection, struct st_event *event) {
    struct ranks *elements = &selection->elements;
    st_reserve(&elements->known, &elements->capacity, (size_t)event->target + 1);
    size_t *known = &elements->known[event->target];
    if (!*known)
        *known =
            is_beyond(st_name(&selection->symbols->variables, event->target), selection->cutoff)
                ? 2
                : 1;
    if (*known == 2)
        event->op = ST_UNMARKED;
}

void st_select(struct st_selection *selection, struct st_event *events, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (events[i].op <= ST_WRITE && selection->cutoff != UINT64_MAX)
            on_access(selection, &events[i]);
        if (events[i].op == ST_BEGIN)
            on_begin(selection, &events[i]);
        else if (events[i].op == ST_END)
            on_end(selection, &events[i]);
    }
}
