#include "finding/finding.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *st_edge_kind_name(enum st_edge_kind kind) {
    static const char *const names[] = {
        [ST_EDGE_CONFLICT] = "conflict", [ST_EDGE_LOCK] = "lock", [ST_EDGE_FORK] = "fork",
        [ST_EDGE_JOIN] = "join",         [ST_EDGE_SYNC] = "sync",
    };
    return names[kind];
}

void st_findings_init(struct st_findings *findings, size_t limit) {
    memset(findings, 0, sizeof *findings);
    findings->limit = limit ? limit : SIZE_MAX;
    st_map64_init(&findings->kinds);
}

void st_block_gap_free(struct st_block_gap *gap) {
    if (!gap)
        return;
    free(gap->function);
    free(gap->left);
    free(gap->back);
    free(gap);
}

void st_findings_free(struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++) {
        free(findings->violations[i].path);
        st_block_gap_free(findings->violations[i].gap);
    }
    free(findings->violations);
    free(findings->cycle);
    free(findings->cycle_ends);
    free(findings->violated);
    free(findings->depths);
    free(findings->unkept);
    st_shares_free(&findings->shares);
    st_map64_free(&findings->kinds);
    memset(findings, 0, sizeof *findings);
}

bool st_findings_bad_event(struct st_findings *findings, uint64_t event) {
    findings->verdict = ST_NOT_SERIALIZABLE;
    if (findings->first_bad_event && findings->first_bad_event <= event)
        return false;
    findings->first_bad_event = event;
    return true;
}

static void count_violated(struct st_findings *findings, const struct st_violation *violation) {
    uint64_t *violated = &findings->unnamed_violated;
    uint32_t *depth = &findings->unnamed_depth, block = violation->block;
    if (block != ST_NO_NAME) {
        st_reserve(&findings->violated, &findings->violated_capacity, (size_t)block + 1);
        st_reserve(&findings->depths, &findings->depths_capacity, (size_t)block + 1);
        violated = &findings->violated[block];
        depth = &findings->depths[block];
    }
    if (!*violated || violation->depth < *depth)
        *depth = violation->depth;
    *violated += !violation->again;
}

static void count_unkept(struct st_findings *findings, uint32_t block) {
    size_t index = (size_t)(block + UINT32_C(1)); /* 0: no name */
    st_reserve(&findings->unkept, &findings->unkept_capacity, index + 1);
    findings->unkept[index]++;
}

uint64_t st_findings_unkept(const struct st_findings *findings, uint32_t block) {
    size_t index = (size_t)(block + UINT32_C(1));
    return index < findings->unkept_capacity ? findings->unkept[index] : 0;
}

uint64_t st_findings_violated(const struct st_findings *findings, uint32_t block) {
    if (block == ST_NO_NAME)
        return findings->unnamed_violated;
    return block < findings->violated_capacity ? findings->violated[block] : 0;
}

uint32_t st_findings_depth(const struct st_findings *findings, uint32_t block) {
    if (block == ST_NO_NAME)
        return findings->unnamed_depth;
    return block < findings->depths_capacity ? findings->depths[block] : 0;
}

/* There are as many kinds as places in the code, but for recursion; more than these share one. */
enum { MOST_KINDS = 1 << 20 };

/* What shares the places. With a limit for each name, it is names. */
static uint32_t kind_of(struct st_findings *findings, uint32_t block, uint64_t loc) {
    if (findings->limit_each)
        return block;
    if (!(loc & ST_LOC_NAME))
        loc = 0; /* a mere number, which may count the events */
    uint64_t id = (uint64_t)block * UINT64_C(0x9E3779B97F4A7C15) ^ loc;
    uint32_t kind = findings->kinds.count < MOST_KINDS ? st_map64_number(&findings->kinds, id)
                                                       : st_map64_find(&findings->kinds, id);
    return kind == ST_MAP64_NONE ? MOST_KINDS : kind;
}

static bool has_place(const struct st_findings *findings, uint32_t kind) {
    if (findings->limit_each && st_shares_kept(&findings->shares, kind) >= findings->limit_each)
        return false;
    return findings->kept < findings->limit || st_shares_yield(&findings->shares, kind);
}

bool st_findings_keeps(struct st_findings *findings, uint32_t block, uint64_t loc) {
    return findings->on_violation || has_place(findings, kind_of(findings, block, loc));
}

/* The index for a violation that has_place: a new one, or that of one that gives way. */
static size_t make_place(struct st_findings *findings) {
    if (findings->kept >= findings->limit) {
        size_t place = st_shares_take(&findings->shares);
        count_unkept(findings, findings->violations[place].block);
        free(findings->violations[place].path);
        return place;
    }
    st_reserve(&findings->violations, &findings->kept_capacity, findings->kept + 1);
    return findings->kept++;
}

static size_t keep(struct st_findings *findings, const struct st_violation *violation,
                   uint32_t kind) {
    size_t place = make_place(findings);
    findings->violations[place] = *violation;
    st_shares_add(&findings->shares, kind, place);
    return place;
}

size_t st_findings_violation(struct st_findings *findings, const struct st_violation *given) {
    struct st_violation violation = *given;
    if (violation.path_length)
        violation.closing = violation.path[violation.path_length - 1];
    if (violation.depth == 0)
        findings->violation_count++;
    findings->all_violated++;
    count_violated(findings, &violation);
    if (findings->on_violation)
        findings->on_violation(findings->context, &violation);
    uint32_t kind = kind_of(findings, violation.block, violation.event.event.loc);
    if (has_place(findings, kind))
        return keep(findings, &violation, kind);
    count_unkept(findings, violation.block);
    free(violation.path);
    return ST_NO_VIOLATION;
}

void st_findings_block_end(struct st_findings *findings, size_t handle, uint64_t begin,
                           uint64_t event) {
    if (handle != ST_NO_VIOLATION && findings->violations[handle].begin == begin)
        findings->violations[handle].end = event;
}

static int by_event(const void *a, const void *b) {
    const struct st_violation *one = a, *other = b;
    if (one->event.number != other->event.number)
        return one->event.number < other->event.number ? -1 : 1;
    return one->begin < other->begin ? -1 : one->begin > other->begin;
}

void st_findings_sort(struct st_findings *findings) {
    if (findings->kept)
        qsort(findings->violations, findings->kept, sizeof *findings->violations, by_event);
}

void st_findings_keep_first(struct st_findings *findings) {
    const struct st_violation *all = findings->violations;
    st_findings_sort(findings);
    while (findings->kept && all[findings->kept - 1].event.number != all[0].event.number)
        free(all[--findings->kept].path); /* nobody has looked for gaps yet */
}

void st_map_place(const struct st_mapping *mapping, struct st_place *place) {
    if (place->number)
        place->event.loc =
            mapping->map(mapping->context, place->event.loc) & ((ST_LOC_NAME << 1) - 1);
}

static void map_edges(const struct st_mapping *mapping, struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        st_map_place(mapping, &edges[i].from);
        st_map_place(mapping, &edges[i].to);
    }
}

void st_findings_map_locations(struct st_findings *findings,
                               uint64_t (*map)(void *context, uint64_t loc), void *context) {
    const struct st_mapping mapping = {map, context};
    for (size_t i = 0; i < findings->kept; i++) {
        struct st_violation *violation = &findings->violations[i];
        violation->begin_loc = map(context, violation->begin_loc);
        st_map_place(&mapping, &violation->event);
        map_edges(&mapping, &violation->closing, 1);
        map_edges(&mapping, violation->path, violation->path_length);
    }
    map_edges(&mapping, findings->cycle, findings->cycle_length);
}

void st_findings_cycle(struct st_findings *findings, const struct st_edge *edges,
                       const struct st_ends *ends, size_t count) {
    free(findings->cycle);
    free(findings->cycle_ends);
    findings->cycle = st_alloc(count, sizeof *edges);
    memcpy(findings->cycle, edges, count * sizeof *edges);
    findings->cycle_ends = ends ? st_alloc(count, sizeof *ends) : NULL;
    if (ends)
        memcpy(findings->cycle_ends, ends, count * sizeof *ends);
    findings->cycle_length = count;
}

static bool has_race(const struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (edges[i].race == ST_RACE_FOUND)
            return true;
    return false;
}

bool st_findings_racy(const struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++) {
        const struct st_violation *violation = &findings->violations[i];
        if (has_race(violation->path, violation->path_length) || has_race(&violation->closing, 1))
            return true;
    }
    return !findings->kept && has_race(findings->cycle, findings->cycle_length);
}
