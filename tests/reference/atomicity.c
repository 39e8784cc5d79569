#include "reference/atomicity.h"

#include "reference/fresh_memory.h"
#include "reference/states.h"

#include <assert.h>
#include <string.h>

/* How interleavings are distinguished, as bytes of struct likeness.
 *
 * Conflict: a bit for each pair of conflicting accesses, set if the one that is later in the trace
 * came first. View: a byte for each read, the number of the write that it read from (0: none, or
 * the read has not run yet), and one for each variable, its last write so far.
 *
 * Either way, this is all that matters about the steps that have run, so a search need not visit
 * two points with the same `done` and the same bytes. */
struct encoding {
    const struct sample *sample;
    bool by_view, fits;
    unsigned pair[SAMPLE_EVENTS][SAMPLE_EVENTS]; /* conflict: number of the pair, if it conflicts */
    uint64_t partners[SAMPLE_EVENTS];    /* conflict: which events an event conflicts with */
    unsigned read[SAMPLE_EVENTS];        /* view: the byte of a read */
    unsigned variable[SAMPLE_VARIABLES]; /* view: the byte of a variable */
};

static uint64_t bit(size_t i) {
    return UINT64_C(1) << i;
}

static bool is_access(const struct st_event *event) {
    return event->op == ST_READ || event->op == ST_WRITE;
}

static bool is_conflict(const struct st_event *a, const struct st_event *b) {
    return is_access(a) && is_access(b) && a->target == b->target && a->thread != b->thread &&
           (a->op == ST_WRITE || b->op == ST_WRITE);
}

static void encode_conflicts(struct encoding *encoding, const struct sample *sample) {
    unsigned pairs = 0;
    for (size_t i = 0; i < sample->count; i++)
        for (size_t j = i + 1; j < sample->count; j++) {
            if (!is_conflict(&sample->events[i], &sample->events[j]))
                continue;
            encoding->pair[i][j] = encoding->pair[j][i] = pairs++;
            encoding->partners[i] |= bit(j);
            encoding->partners[j] |= bit(i);
        }
    encoding->fits = pairs <= 8 * STATE_BYTES;
}

static void encode_view(struct encoding *encoding, const struct sample *sample) {
    bool met[SAMPLE_VARIABLES] = {false};
    unsigned bytes = 0;
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        if (!is_access(event))
            continue;
        if (event->op == ST_READ)
            encoding->read[i] = bytes++;
        if (!met[event->target])
            encoding->variable[event->target] = bytes++;
        met[event->target] = true;
    }
    encoding->fits = bytes <= STATE_BYTES;
}

static void encoding_init(struct encoding *encoding, const struct sample *sample, bool by_view) {
    *encoding = (struct encoding){.sample = sample, .by_view = by_view};
    if (by_view)
        encode_view(encoding, sample);
    else
        encode_conflicts(encoding, sample);
}

/* Step i runs after those in `state`. */
static void run_step(const struct encoding *encoding, struct state *state, size_t i) {
    const struct st_event *event = &encoding->sample->events[i];
    uint8_t *bytes = state->likeness.bytes;
    if (encoding->by_view && event->op == ST_READ) {
        bytes[encoding->read[i]] = bytes[encoding->variable[event->target]];
    } else if (encoding->by_view && event->op == ST_WRITE) {
        bytes[encoding->variable[event->target]] = (uint8_t)(i + 1);
    } else if (!encoding->by_view) {
        for (size_t j = i + 1; j < encoding->sample->count; j++)
            if (encoding->partners[i] & state->done & bit(j))
                bytes[encoding->pair[i][j] / 8] |= (uint8_t)(1u << encoding->pair[i][j] % 8);
    }
    state->done |= bit(i);
}

/* ---- the search ---- */

struct search {
    const struct units *units;
    const struct encoding *encoding;
    bool serial;   /* only those that are */
    bool no_locks; /* and they need not obey locks */
    bool informed; /* nobody accesses fresh memory of others that it cannot know of */
    size_t most;
    struct states visited;
    bool gave_up, stuck;

    /* A complete interleaving that is not in `known` stops the search; without `known`, complete
     * interleavings are collected in `found`. */
    const struct states *known;
    struct states *found;
    bool stranger;
    size_t length;
    uint8_t path[SAMPLE_EVENTS];
};

/* In a serial interleaving, a transaction that has begun must go on until it is complete. */
static bool cuts_a_transaction(const struct units *units, uint64_t done, size_t i) {
    for (unsigned n = 1; n <= units->transaction_count; n++) {
        uint64_t members = units->members[n];
        if (n != units->transaction[i] && members & done && members & ~done)
            return true;
    }
    return false;
}

static void complete(struct search *search, const struct state *state) {
    if (!search->known)
        states_add(search->found, state);
    else if (!states_has(search->known, state))
        search->stranger = true;
}

/* Depth first. When it stops at an unknown interleaving, the path is that interleaving. */
static void go_on(struct search *search, const struct state *state) {
    const struct units *units = search->units;
    bool moved = false;
    if (state->done == units->steps) {
        complete(search, state);
        return;
    }
    if (!states_add(&search->visited, state))
        return;
    search->gave_up |= search->visited.count > search->most;
    for (size_t i = 0; i < units->count; i++) {
        if (search->gave_up || search->stranger)
            return;
        if (search->no_locks ? !units_ready_without_locks(units, state->done, i)
                             : !units_ready(units, search->encoding->sample, state->done, i))
            continue;
        moved = true;
        if (search->informed &&
            !fresh_may_come(search->encoding->sample, search->path, search->length, i))
            continue;
        if (search->serial && cuts_a_transaction(units, state->done, i))
            continue;
        struct state next = *state;
        run_step(search->encoding, &next, i);
        search->path[search->length++] = (uint8_t)i;
        go_on(search, &next);
        if (!search->stranger)
            search->length--;
    }
    search->stuck |= !moved;
}

static void search_all(struct search *search) {
    struct state start = {0};
    go_on(search, &start);
    states_free(&search->visited);
}

/* ---- the verdicts ---- */

/* False when it takes too long. */
static bool judge(const struct units *units, const struct sample *sample, bool by_view, bool data,
                  size_t most, struct atomicity_verdict *verdict) {
    struct encoding encoding;
    encoding_init(&encoding, sample, by_view);
    if (!encoding.fits)
        return false;
    struct states serial = {0};
    struct search search = {.units = units,
                            .encoding = &encoding,
                            .most = most,
                            .serial = true,
                            .no_locks = data,
                            .found = &serial};
    search_all(&search);
    bool decided = !search.gave_up;
    if (decided) {
        search = (struct search){.units = units,
                                 .encoding = &encoding,
                                 .most = most,
                                 .informed = fresh_is_marked(sample),
                                 .known = &serial};
        search_all(&search);
        decided = search.stranger || !search.gave_up;
    }
    verdict->atomic = !search.stranger;
    verdict->contended = search.stranger || serial.count > 1;
    verdict->length = search.length;
    memcpy(verdict->example, search.path, sizeof verdict->example);
    states_free(&serial);
    return decided;
}

/* Whether the search gets stuck does not depend on what reads saw: all interleavings of the same
 * steps are alike here. False if it takes too long. */
static bool find_deadlock(const struct units *units, const struct sample *sample, size_t most,
                          bool *deadlock) {
    struct encoding encoding = {.sample = sample};
    struct states any = {0};
    struct search search = {.units = units, .encoding = &encoding, .most = most, .found = &any};
    search_all(&search);
    states_free(&any);
    *deadlock = search.stuck;
    return !search.gave_up;
}

static void decide_deadlock(struct atomicity *atomicity, const struct sample *sample, size_t most) {
    atomicity->decided = find_deadlock(&atomicity->units, sample, most, &atomicity->deadlock);
}

void atomicity_find_deadlock(struct atomicity *atomicity, const struct sample *sample,
                             size_t most) {
    *atomicity = (struct atomicity){0};
    units_find(&atomicity->units, sample);
    decide_deadlock(atomicity, sample, most);
}

void atomicity_check_units(struct atomicity *atomicity, const struct sample *sample, size_t most) {
    decide_deadlock(atomicity, sample, most);
    const struct units *units = &atomicity->units;
    atomicity->decided = atomicity->decided &&
                         judge(units, sample, false, false, most, &atomicity->conflict) &&
                         judge(units, sample, true, false, most, &atomicity->view) &&
                         judge(units, sample, false, true, most, &atomicity->data_conflict) &&
                         judge(units, sample, true, true, most, &atomicity->data_view);
}

void atomicity_check(struct atomicity *atomicity, const struct sample *sample, size_t most) {
    *atomicity = (struct atomicity){0};
    units_find(&atomicity->units, sample);
    atomicity_check_units(atomicity, sample, most);
}

/* ---- printing ---- */

static void print_verdict(FILE *file, const char *notion, const struct atomicity_verdict *verdict,
                          const struct sample *sample) {
    if (verdict->atomic) {
        fprintf(file, "  %s-atomic\n", notion);
        return;
    }
    fprintf(file, "  not %s-atomic:", notion);
    for (size_t i = 0; i < verdict->length; i++) {
        fputc(' ', file);
        sample_print_event(file, &sample->events[verdict->example[i]]);
    }
    fputc('\n', file);
}

void atomicity_print(FILE *file, const struct atomicity *atomicity, const struct sample *sample) {
    if (!atomicity->decided) {
        fprintf(file, "  too large to decide\n");
        return;
    }
    if (atomicity->deadlock)
        fprintf(file, "  an interleaving gets stuck\n");
    print_verdict(file, "conflict", &atomicity->conflict, sample);
    print_verdict(file, "view", &atomicity->view, sample);
    print_verdict(file, "data-conflict", &atomicity->data_conflict, sample);
    print_verdict(file, "data-view", &atomicity->data_view, sample);
}
