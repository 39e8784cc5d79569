/* What an analysis found. Engines fill it, reports are written from it and from nothing else.
 *
 * Names are numbers of the trace's symbols; event numbers are 1-based positions in the trace. */
#ifndef SERIATIM_FINDING_FINDING_H
#define SERIATIM_FINDING_FINDING_H

#include "base/map64.h"
#include "finding/observation.h"
#include "finding/shares.h"
#include "trace/event.h"

#include <stddef.h>

/* An event that a finding mentions. */
struct st_place {
    uint64_t number;
    struct st_event event;
};

/* What gives locations other numbers, of places that there are. */
struct st_mapping {
    uint64_t (*map)(void *context, uint64_t loc);
    void *context;
};
void st_map_place(const struct st_mapping *mapping, struct st_place *place);

enum st_edge_kind { ST_EDGE_CONFLICT, ST_EDGE_LOCK, ST_EDGE_FORK, ST_EDGE_JOIN, ST_EDGE_SYNC };
const char *st_edge_kind_name(enum st_edge_kind kind); /* "conflict", "lock", "fork", ... */

/* Does a conflict rest on a data race? Nobody may have asked. */
enum st_race { ST_RACE_UNKNOWN, ST_RACE_NONE, ST_RACE_FOUND };

/* A dependence between two events of different threads. What it is about (variable, lock, thread,
 * channel) is the target of `to`, but for fork edges, where it is the target of `from`. */
struct st_edge {
    struct st_place from, to;
    enum st_edge_kind kind;
    enum st_race race; /* of a conflict: see check/races/race_edges.h */
};

/* The transaction that an event is in: an outermost block, or the event alone. */
struct st_transaction {
    uint64_t first; /* the number of its first event; 0 where the transaction is not known */
    uint32_t block; /* the name of the block; of no meaning when unary */
    bool unary;     /* an event outside all blocks */
};

/* The transactions at both ends of an edge. */
struct st_ends {
    struct st_transaction from, to;
};

enum { ST_FINGERPRINT_SIZE = 33 };

/* 32 hexadecimal digits and a zero. */
struct st_fingerprint {
    char text[ST_FINGERPRINT_SIZE];
};

/* Where a block let go, and where it came back: the cause of a finding, whoever came in between.
 * Blocks that one event cut have the gap of the innermost of them. report/triage/gaps.h finds it.
 */
struct st_block_gap {
    struct st_fingerprint fingerprint, by_line; /* see report/triage/fingerprint.h */
    char *function;                             /* the name of the block whose gap it is */
    char *left, *back; /* lines in that block: "bank.c:21"; "" where they are not known */
    uint64_t times;    /* how often it was cut there, as far as that is known; 0: as often as there
                        * are violations with this gap */
    bool next_turn;    /* the block came back in the next turn of a loop: in the same critical
                        * section, entered once more, and to the same variable */
};

/* A violated block. Invariant: begin <= event, and event <= end unless end is 0 (still open). */
struct st_violation {
    uint32_t block; /* name, or ST_NO_NAME */
    uint32_t thread;
    uint32_t depth; /* 0 is outermost */
    uint64_t begin_loc;
    uint64_t begin, end;
    bool again;  /* it is a part of a call of which an earlier part was violated */
    bool waited; /* between letting go and coming back, its thread received from a channel to which
                  * nobody has ever sent: it waited for something outside of the program */
    bool namesake; /* of a saved result: it came back to another variable of the same name */
    struct st_place event; /* the first event that proves it */
    struct st_edge *path; /* out of the block and back to `event`; NULL where the engine has none */
    size_t path_length;
    /* The last edge of such a path; an engine that gives the path need not set it. to.number is 0
     * where it is not known; from.number is 0 where only the thread of its source is. */
    struct st_edge closing;
    /* Where a run had several processes: the id of the one that did this, and its executable. 0 and
     * NULL otherwise. */
    uint64_t process;
    const char *program;
    const struct st_observation *observation; /* how a hunt saw it; NULL: no hunt did */
    struct st_block_gap *gap;                 /* NULL: nobody has looked for it yet */
};

void st_block_gap_free(struct st_block_gap *gap); /* NULL is none */

enum st_verdict { ST_UNDECIDED, ST_SERIALIZABLE, ST_NOT_SERIALIZABLE };

struct st_findings {
    enum st_verdict verdict;
    uint64_t first_bad_event; /* 0: none */
    bool names_blocks;        /* does this engine name violated blocks at all? */
    bool outermost_only;      /* does it look at outermost blocks only? */
    bool blames_closers; /* a named block without a path closes a cycle; it need not be violated */
    const char *gave_up; /* why there is no verdict, or NULL */
    uint64_t violation_count;        /* violated outermost blocks, also those not kept */
    struct st_violation *violations; /* as found, until one gives way; see st_findings_sort */
    size_t kept, kept_capacity, limit;
    size_t limit_each;          /* how many of a name are kept at most; 0: no such limit */
    size_t left_out;            /* findings that are in no list: there is a limit for them */
    struct st_shares shares;    /* of the kinds in `violations` */
    struct st_map64 kinds;      /* of violations: the block, and where it was seen to be cut */
    struct st_edge *cycle;      /* cross-thread edges of the cycle that closes there, where known */
    struct st_ends *cycle_ends; /* of each of them; NULL where not known */
    size_t cycle_length;
    uint64_t all_violated; /* blocks of all depths, also those not kept */
    uint64_t *violated;    /* by block name: calls of which some part was violated */
    uint64_t *unkept;      /* by block name + 1: violations that are not kept */
    size_t unkept_capacity;
    size_t violated_capacity;
    uint64_t unnamed_violated;
    uint32_t *depths; /* by block name: the smallest depth of a violation, where there is one */
    size_t depths_capacity;
    uint32_t unnamed_depth;

    /* Called for each violated block as soon as it is known, or NULL. */
    void (*on_violation)(void *context, const struct st_violation *violation);
    void *context;
};

/* limit: how many violations to keep in full; 0 keeps all. When there are more, the kinds of them
 * share the places (finding/shares.h). */
void st_findings_init(struct st_findings *findings, size_t limit);
void st_findings_free(struct st_findings *findings);

/* The trace is not serializable from this event on. Only the smallest such event is kept; true when
 * this is the smallest so far. */
bool st_findings_bad_event(struct st_findings *findings, uint64_t event);

/* Takes over violation->path. Returns a handle for st_findings_block_end. */
size_t st_findings_violation(struct st_findings *findings, const struct st_violation *violation);
#define ST_NO_VIOLATION SIZE_MAX

/* Would anybody look at the path of another violation of a block with this name, proved by an event
 * at this location? If not, an engine can save itself the trouble of finding it. */
bool st_findings_keeps(struct st_findings *findings, uint32_t block, uint64_t loc);

/* The violated block with this handle has ended. `begin` is the number of its begin event, which
 * shows whether the violation is still there: it may have given way to another. */
void st_findings_block_end(struct st_findings *findings, size_t handle, uint64_t begin,
                           uint64_t event);

/* Puts the violations that are kept in the order of the events that prove them, an outer block
 * before an inner one. No more may come, and handles are no longer valid. */
void st_findings_sort(struct st_findings *findings);

/* Drops all of them but those of the first event that proves any; sorts them, too. */
void st_findings_keep_first(struct st_findings *findings);

/* Replaces each location in the findings by what `map` gives for it. */
void st_findings_map_locations(struct st_findings *findings,
                               uint64_t (*map)(void *context, uint64_t loc), void *context);

/* Of the blocks with this name: how many calls of them were violated, kept or not, how many
 * violations are not kept, and the smallest depth of one (0 when there is none). */
uint64_t st_findings_unkept(const struct st_findings *findings, uint32_t block);
uint64_t st_findings_violated(const struct st_findings *findings, uint32_t block);
uint32_t st_findings_depth(const struct st_findings *findings, uint32_t block);

/* Does a violation that is kept, or the cycle where there is none, rest on a data race? That is, is
 * a dependence in it marked as one. */
bool st_findings_racy(const struct st_findings *findings);

/* Keeps a copy of the edges, and of their ends unless that is NULL, as the cycle that makes the
 * first bad event bad. */
void st_findings_cycle(struct st_findings *findings, const struct st_edge *edges,
                       const struct st_ends *ends, size_t count);

#endif
