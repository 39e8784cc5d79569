#include "finding/finding.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *st_edge_kind_name(enum st_edge_kind kind) {
    static const char *const names[] = {
        [ST_EDGE_CONFLICT] = "conflict",
        [ST_EDGE_LOCK] = "lock",
        [ST_EDGE_FORK] = "fork",
        [ST_EDGE_JOIN] = "join",
    };
    return names[kind];
}

void st_findings_init(struct st_findings *findings, size_t limit) {
    memset(findings, 0, sizeof *findings);
    findings->limit = limit ? limit : SIZE_MAX;
}

void st_findings_free(struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++)
        free(findings->violations[i].path);
    free(findings->violations);
    free(findings->cycle);
    free(findings->violated);
    memset(findings, 0, sizeof *findings);
}

bool st_findings_bad_event(struct st_findings *findings, uint64_t event) {
    findings->verdict = ST_NOT_SERIALIZABLE;
    if (findings->first_bad_event && findings->first_bad_event <= event)
        return false;
    findings->first_bad_event = event;
    return true;
}

static void count_violated(struct st_findings *findings, uint32_t block) {
    if (block == ST_NO_NAME) {
        findings->unnamed_violated++;
        return;
    }
    st_reserve(&findings->violated, &findings->violated_capacity, (size_t)block + 1);
    findings->violated[block]++;
}

size_t st_findings_violation(struct st_findings *findings, const struct st_violation *violation) {
    if (violation->depth == 0)
        findings->violation_count++;
    count_violated(findings, violation->block);
    if (findings->on_violation)
        findings->on_violation(findings->context, violation);
    if (findings->kept >= findings->limit) {
        free(violation->path);
        return ST_NO_VIOLATION;
    }
    st_reserve(&findings->violations, &findings->kept_capacity, findings->kept + 1);
    findings->violations[findings->kept] = *violation;
    return findings->kept++;
}

void st_findings_block_end(struct st_findings *findings, size_t handle, uint64_t event) {
    if (handle != ST_NO_VIOLATION)
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

void st_findings_cycle(struct st_findings *findings, const struct st_edge *edges, size_t count) {
    free(findings->cycle);
    findings->cycle = st_alloc(count, sizeof *edges);
    memcpy(findings->cycle, edges, count * sizeof *edges);
    findings->cycle_length = count;
}
