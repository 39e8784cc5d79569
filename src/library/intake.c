#include "library/intake.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Static_assert((int)SERIATIM_READ == (int)ST_READ && (int)SERIATIM_RECEIVE == (int)ST_RECEIVE,
               "the public operations are numbered like the inner ones");
_Static_assert(SERIATIM_LOCATION_LIMIT == ST_LOC_NUMBER_LIMIT,
               "every location that the interface allows has room in an event");

_Static_assert((int)SERIATIM_EDGE_CONFLICT == (int)ST_EDGE_CONFLICT &&
                   (int)SERIATIM_EDGE_SYNC == (int)ST_EDGE_SYNC,
               "the public kinds of edges are numbered like the inner ones");

void st_intake_init(struct st_intake *intake) {
    *intake = (struct st_intake){.validator = st_validator_new(true)};
    for (int kind = 0; kind < ST_ID_KINDS; kind++)
        st_map64_init(&intake->ids[kind]);
}

void st_intake_free(struct st_intake *intake) {
    st_validator_free(intake->validator);
    for (int kind = 0; kind < ST_ID_KINDS; kind++)
        st_map64_free(&intake->ids[kind]);
    free(intake->joined);
}

size_t st_intake_memory(const struct st_intake *intake) {
    size_t bytes = 0;
    for (int kind = 0; kind < ST_ID_KINDS; kind++)
        bytes += st_map64_memory(&intake->ids[kind]);
    return bytes;
}

/* ---- from numbers back to the caller's ids ---- */

uint64_t st_intake_id(const struct st_intake *intake, enum st_id_kind kind, uint32_t number) {
    return number == ST_NO_NAME ? SERIATIM_UNNAMED : intake->ids[kind].ids[number];
}

/* What the operand of an event is. */
static const enum st_id_kind operand_kinds[ST_OP_COUNT] = {
    [ST_READ] = ST_ID_VARIABLE,   [ST_WRITE] = ST_ID_VARIABLE, [ST_ACQUIRE] = ST_ID_LOCK,
    [ST_RELEASE] = ST_ID_LOCK,    [ST_FORK] = ST_ID_THREAD,    [ST_JOIN] = ST_ID_THREAD,
    [ST_BEGIN] = ST_ID_BLOCK,     [ST_END] = ST_ID_BLOCK,      [ST_SEND] = ST_ID_CHANNEL,
    [ST_RECEIVE] = ST_ID_CHANNEL,
};

seriatim_place st_intake_place(const struct st_intake *intake, const struct st_place *place) {
    enum st_op op = (enum st_op)place->event.written;
    return (seriatim_place){
        .event = place->number,
        .thread = st_intake_id(intake, ST_ID_THREAD, place->event.thread),
        .operand = st_intake_id(intake, operand_kinds[op], place->event.target),
        .loc = place->event.loc,
        .op = (seriatim_op)op,
    };
}

seriatim_edge st_intake_edge(const struct st_intake *intake, const struct st_edge *edge) {
    return (seriatim_edge){
        .from = st_intake_place(intake, &edge->from),
        .to = st_intake_place(intake, &edge->to),
        .kind = (seriatim_edge_kind)edge->kind,
    };
}

/* ---- events ---- */

static int refuse(struct st_intake *intake, const char *cause, ...)
    __attribute__((noinline, format(printf, 2, 3)));

static int refuse(struct st_intake *intake, const char *cause, ...) {
    va_list arguments;
    va_start(arguments, cause);
    vsnprintf(intake->error, sizeof intake->error, cause, arguments);
    va_end(arguments);
    intake->refused++;
    return -1;
}

static bool is_joined(const struct st_intake *intake, uint32_t thread) {
    return thread < intake->joined_capacity && intake->joined[thread];
}

/* The dense number of the operand. Forking the id of a joined thread makes a new thread of it. */
static uint32_t target_number(struct st_intake *intake, enum st_op op, uint64_t operand) {
    struct st_map64 *map = &intake->ids[operand_kinds[op]];
    if (op == ST_FORK) {
        uint32_t known = st_map64_find(map, operand);
        if (known != ST_MAP64_NONE && is_joined(intake, known))
            return st_map64_renew(map, operand);
    }
    return st_map64_number(map, operand);
}

/* The validator has dropped the event: says which rule it broke. */
static __attribute__((noinline)) int refuse_malformed(struct st_intake *intake, uint64_t thread,
                                                      enum st_op op, uint64_t operand) {
    const struct st_repairs *now = st_validator_repairs(intake->validator);
    const char *rule = "an event that makes no sense here";
    for (int kind = 0; kind < ST_MALFORMED_COUNT; kind++)
        if (now->kinds[kind].count != intake->refused_before.kinds[kind].count)
            rule = st_malformed_text((enum st_malformed)kind);
    intake->refused_before = *now;
    if (op == ST_END)
        return refuse(intake, "%s (thread 0x%" PRIx64 ")", rule, thread);
    return refuse(intake, "%s (thread 0x%" PRIx64 ", %s of 0x%" PRIx64 ")", rule, thread,
                  st_op_word(op), operand);
}

int st_intake_event(struct st_intake *intake, uint64_t thread, seriatim_op public_op,
                    uint64_t operand, uint64_t loc, struct st_event *event) {
    enum st_op op = (enum st_op)public_op;
    struct st_map64 *threads = &intake->ids[ST_ID_THREAD];
    if (intake->finished)
        return refuse(intake, "an event after the end of the run");
    if ((unsigned)op >= ST_OP_COUNT)
        return refuse(intake, "there is no operation with the number %d", (int)public_op);
    if (loc >= SERIATIM_LOCATION_LIMIT)
        return refuse(intake, "the location 0x%" PRIx64 " is not below 2^47", loc);

    *event = (struct st_event){.loc = loc, .written = op, .op = op, .target = ST_NO_NAME};
    event->thread = st_map64_number(threads, thread);
    if (is_joined(intake, event->thread))
        return refuse(intake, "%s (thread 0x%" PRIx64 ")", st_malformed_text(ST_EVENT_AFTER_JOIN),
                      thread);
    bool named = op != ST_END && !(op == ST_BEGIN && operand == SERIATIM_UNNAMED);
    if (named)
        event->target = target_number(intake, op, operand);
    if (event->thread == ST_MAP64_NONE || (named && event->target == ST_MAP64_NONE))
        return refuse(intake, "there are more than 2^32 - 2 different ids");

    /* A validator that repairs makes no error: it drops the event. */
    st_validate(intake->validator, event, 1, threads->count, intake->ids[ST_ID_LOCK].count);
    if (event->op == ST_DROPPED)
        return refuse_malformed(intake, thread, op, operand);
    if (op == ST_JOIN) {
        st_reserve(&intake->joined, &intake->joined_capacity, (size_t)event->target + 1);
        intake->joined[event->target] = true;
    }
    intake->events++;
    return 0;
}
