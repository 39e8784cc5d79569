/* Well-formedness (design: locks are held by one thread and released by it, blocks match, a
 * child's events lie between its fork and its join), and the counts that come for free with it.
 *
 * Re-entrant acquires count once: the inner ones, and the releases that match them, become
 * ST_NESTED and have no effect. */
#ifndef SERIATIM_TRACE_VALIDATE_H
#define SERIATIM_TRACE_VALIDATE_H

#include "base/error.h"
#include "trace/symbols.h"

enum st_malformed {
    ST_ACQUIRE_HELD,      /* of a lock that another thread holds */
    ST_RELEASE_NOT_HELD,  /* of a lock that nobody holds */
    ST_RELEASE_BY_OTHER,  /* of a lock that another thread holds */
    ST_END_WITHOUT_BEGIN, /* in a thread without an open block */
    ST_FORK_SELF,         /* a thread forks itself */
    ST_FORK_TWICE,        /* of a thread that was forked before */
    ST_FORK_STARTED,      /* of a thread that already has events */
    ST_JOIN_SELF,         /* a thread joins itself */
    ST_JOIN_UNKNOWN,      /* of a thread that was never forked and has no event */
    ST_EVENT_AFTER_JOIN,  /* of a thread that was joined; repair keeps the event */
    ST_MALFORMED_COUNT
};

struct st_repairs {
    struct {
        uint64_t count, first_event;
    } kinds[ST_MALFORMED_COUNT];
};

/* "a release of a lock that is not held": for warnings about repairs. */
const char *st_malformed_text(enum st_malformed kind);

struct st_facts {
    uint64_t events;                  /* all, dropped ones too */
    uint64_t ops[ST_OP_COUNT];        /* by operation as written, without the dropped */
    uint64_t nested, dropped;         /* re-entrant lock events; events dropped by repair */
    uint64_t open_blocks, held_locks; /* at this point of the trace */
    uint32_t deepest;                 /* nesting of blocks */
    uint64_t unnamed_blocks;          /* begins without a name */
    uint64_t outermost_blocks;
    uint64_t unary;     /* events outside all blocks */
    uint64_t *executed; /* by block name: begins; `executed_count` entries are valid */
    size_t executed_count, executed_capacity;
};

struct st_validator;
struct st_validator *st_validator_new(bool repair);
void st_validator_free(struct st_validator *validator);

/* Checks the events that follow those of the last call and marks ST_NESTED and ST_DROPPED. All
 * thread and lock numbers are below `threads` and `locks`. 0, or -1 at the first malformed event
 * when not repairing; the validator is of no use then but to explain it. */
int st_validate(struct st_validator *validator, struct st_event *events, size_t count,
                uint32_t threads, uint32_t locks);

/* Why st_validate said -1. The error has no file, and its position is the event's number. */
void st_validate_explain(const struct st_validator *validator, const struct st_symbols *symbols,
                         struct st_error *error);

/* A block was executed so many times more than events say. */
void st_validator_count(struct st_validator *validator, uint32_t block, uint64_t times);

const struct st_facts *st_validator_facts(const struct st_validator *validator);
const struct st_repairs *st_validator_repairs(const struct st_validator *validator);

#endif
