#include "report/triage/weight.h"

#include "report/calls.h"
#include "report/source/source.h"

#include <string.h>

static bool wrote(const struct st_place *place) {
    return place->event.written == ST_WRITE;
}

/* Saved results have names, which several variables may share. */
bool st_came_to_namesake(const struct st_symbols *symbols, const struct st_violation *violation) {
    if (violation->namesake || violation->path_length < 2 || !violation->closing.from.number)
        return violation->namesake;
    const struct st_event *left = &violation->path[0].from.event;
    const struct st_event *back = &violation->closing.to.event;
    if (left->written > ST_WRITE || back->written > ST_WRITE || left->target == back->target)
        return false;
    return strcmp(st_target_name(symbols, ST_READ, left->target),
                  st_target_name(symbols, ST_READ, back->target)) == 0;
}

enum st_damage st_damage_of(const struct st_violation *violation) {
    const struct st_edge *out = violation->path, *back = &violation->closing;
    if (violation->path_length < 2 || out->kind != ST_EDGE_CONFLICT ||
        back->kind != ST_EDGE_CONFLICT)
        return ST_DAMAGE_ORDER;
    bool changed = wrote(&out->to) || wrote(&back->from);
    if (out->from.event.target != back->to.event.target || violation->namesake)
        return changed ? ST_DAMAGE_PAIR : ST_DAMAGE_ORDER;
    if (!changed)
        return ST_DAMAGE_SEEN;
    return wrote(&out->from) && !wrote(&back->to) ? ST_DAMAGE_AFTER : ST_DAMAGE_VALUE;
}

bool st_is_direct(const struct st_violation *violation) {
    return violation->path_length == 2 && violation->closing.from.number;
}

bool st_left_with_write(const struct st_violation *violation) {
    return violation->path_length && wrote(&violation->path[0].from) &&
           st_damage_of(violation) != ST_DAMAGE_VALUE;
}

bool st_goes_backward(const struct st_violation *violation) {
    const struct st_block_gap *gap = violation->gap;
    uint32_t left, back;
    if (!gap || !st_left_with_write(violation))
        return false;
    const struct st_place *from = &violation->path[0].from;
    size_t length = st_split_location(gap->left, &left);
    return length && length == st_split_location(gap->back, &back) &&
           strncmp(gap->left, gap->back, length) == 0 && left > back &&
           (from->event.target != violation->event.event.target || violation->namesake);
}

static bool is_in_call(const struct st_report *report, const struct st_calls *around,
                       uint64_t loc) {
    struct st_calls calls = st_calls_at(report->details, loc);
    bool result = around->count && st_calls_new(&calls, around) > 1;
    st_calls_free(&calls);
    return result;
}

bool st_between_calls(const struct st_report *report, const struct st_violation *violation) {
    if (!violation->path_length)
        return false;
    struct st_calls around = st_calls_at(report->details, violation->begin_loc);
    bool result = is_in_call(report, &around, violation->path[0].from.event.loc) &&
                  is_in_call(report, &around, violation->event.event.loc);
    st_calls_free(&around);
    return result;
}

void st_each_caller(const struct st_report *report, const struct st_violation *violation,
                    st_caller_sink *sink, void *context) {
    struct st_calls calls = st_calls_at(report->details, violation->begin_loc);
    for (size_t i = 1; i < calls.count; i++)
        if (strcmp(calls.frames[i].function, calls.frames[0].function) != 0)
            sink(context, calls.frames[i].function, violation);
    st_calls_free(&calls);
}
