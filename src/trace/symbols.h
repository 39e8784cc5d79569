/* The names behind the numbers of a trace's events. */
#ifndef SERIATIM_TRACE_SYMBOLS_H
#define SERIATIM_TRACE_SYMBOLS_H

#include "base/names.h"
#include "trace/channels.h"
#include "trace/event.h"

/* Names of blocks that are what a thread starts with: "thread function work", and "one iteration of
 * the loop at work, bank.c:12" if that function loops. */
#define ST_START_OF "thread function "
#define ST_TURN_OF "one iteration of the loop at "

/* Does the block have such a name? Then *function and *length are the name of the function in it;
 * otherwise all of its name. */
bool st_block_is_start(const char *name, const char **function, size_t *length);

/* What is known of the places where events happened, beyond their lines: the function, the calls
 * that led there, and the locks that the thread held. Recorded traces have it in outline: the calls
 * since the begin of the innermost open block, since those before it are the block's, and no locks,
 * since they follow from the events. trace/context_tracker.h completes it.
 *
 * Contexts are rows that refer to each other by number, and equal ones are one row: a frame and
 * its callers are a stack, a lock and those acquired before it a set. Frames and sets are numbered
 * from 1, with 0 for none; sites from 0. */
struct st_frame_row {
    uint32_t function, line; /* names */
    uint32_t caller;         /* the frame around it, added before */
};

/* What the name of a lock ends with that is held for reading, or that several threads can hold. */
#define ST_HELD_FOR_READING " (read)"
#define ST_SEVERAL_HOLD " (semaphore)"

/* In the number of a lock that is held: it is one of the shared_locks, and held for reading. */
#define ST_HELD_SHARED (UINT32_C(1) << 31)
#define ST_HELD_READ (UINT32_C(1) << 30)

/* In place of the number of a set: what was held is not known. */
#define ST_HELD_UNKNOWN UINT32_MAX

struct st_held_row {
    uint32_t lock;  /* number, with these marks */
    uint32_t rest;  /* those acquired before it, added before */
    uint32_t frame; /* where it was acquired: the innermost frame there; 0: not known */
};

struct st_site_row {
    uint32_t line; /* name */
    uint32_t frame;
    uint32_t call; /* the frame that the function was called from: it is in the stack of `frame` */
    uint32_t held;
};

/* Invariant: what a row refers to is there. When contexts are `kept`, each location name of the
 * trace is a site: location i is site i, and its name is that of the site's line. */
struct st_contexts {
    bool kept;
    struct st_names functions, lines;
    struct st_frame_row *frames;
    struct st_held_row *held;
    struct st_site_row *sites;
    size_t frame_count, frame_capacity, held_count, held_capacity, site_count, site_capacity;
};

void st_contexts_init(struct st_contexts *contexts);
void st_contexts_free(struct st_contexts *contexts);

/* These return the number of the new row. */
uint32_t st_contexts_frame(struct st_contexts *contexts, struct st_frame_row row);
uint32_t st_contexts_held(struct st_contexts *contexts, struct st_held_row row);

/* Names of variables that are not in their table (trace/packed_names.h); all NULL: there are none.
 */
struct st_names_elsewhere {
    void *store;
    const char *(*find)(void *store, uint32_t variable);
    void (*free)(void *store);
};

/* Which accesses of the program a recording has (docs/recordings.md). */
enum st_recording_rule {
    ST_RULE_UNKNOWN,    /* the trace does not say */
    ST_RULE_REDUCED,    /* what `check` needs */
    ST_RULE_SUFFICIENT, /* what `predict` needs, too */
    ST_RULE_EVERY       /* all */
};

/* A word for each of some threads; NULL where there is none. */
struct st_thread_words {
    char **list; /* by thread */
    size_t capacity;
    uint64_t changes; /* how often a thread got one */
};

static inline const char *st_thread_word(const struct st_thread_words *words, uint32_t thread) {
    return thread < words->capacity ? words->list[thread] : NULL;
}

/* The word for the thread from now on; "" is none. */
void st_thread_words_set(struct st_thread_words *words, uint32_t thread, const char *word);

/* Calls of functions that would have been blocks, but have no events, by the name of the block.
 * They come from the end of a recording. */
struct st_silent_calls {
    uint64_t *list;
    size_t capacity;
};
void st_silent_calls_add(struct st_silent_calls *calls, uint32_t block, uint64_t times);

/* Locations may have the same name when contexts are kept. Invariant: what the names of the first
 * `noted` channels say about them is in channel_facts; shared_locks are the locks that have
 * channels, and lock_channels says how many channels those are. doubtful[i] of a lock: it was taken
 * and has never been given back, so it may be none; doubts is how many are so. */
struct st_symbols {
    struct st_names threads, variables, locks, blocks, locations, channels;
    struct st_names shared_locks, read_locks; /* of the same numbers: l, l (read) */
    struct st_channels channel_facts;
    uint32_t noted, lock_channels, doubts;
    bool *doubtful;
    size_t doubtful_capacity;
    enum st_recording_rule rule;
    bool late; /* events need not stand at their places (trace/late): so a writer says, and only
                * then a reader takes such a trace */
    struct st_silent_calls left_out;
    struct st_thread_words given;   /* what the program calls them */
    struct st_thread_words started; /* the functions that they start with */
    bool reuses; /* the numbers of variables that have ended are used again, for the same names */
    bool packs;  /* a reader may pack the names of variables */
    bool values; /* a reader keeps values of accesses (trace/values.h) */
    struct st_names_elsewhere elsewhere;
    struct st_contexts contexts;
};

void st_symbols_init(struct st_symbols *symbols);
void st_symbols_free(struct st_symbols *symbols);

/* Is it a recording that lacks accesses which `predict` would need? So are recordings that do not
 * say: they are older than the other rules. */
static inline bool st_is_reduced(const struct st_symbols *symbols) {
    return symbols->rule == ST_RULE_REDUCED ||
           (symbols->rule == ST_RULE_UNKNOWN && symbols->contexts.kept);
}

/* The name of the lock that the event acquires or releases through a channel; NULL if it does
 * neither. */
const char *st_lock_of_channel(const struct st_symbols *symbols, const struct st_event *event);

/* What reports call a lock that is held: "l", "l (read)". */
const char *st_held_name(const struct st_symbols *symbols, uint32_t lock);

/* Is anything known of threads beyond their names in the trace? */
static inline bool st_symbols_know_threads(const struct st_symbols *symbols) {
    return symbols->given.changes || symbols->started.changes;
}

/* What reports call it: as the program does, with its number where others have that name: "worker
 * (T3)". Without such a name: "T3 (drain)" if it starts with that function, or "T3". */
void st_symbols_thread_name(const struct st_symbols *symbols, uint32_t thread, char *buffer,
                            size_t size);

/* How many locks there are, those with channels included, and how many channels for signals. */
static inline uint32_t st_lock_count(const struct st_symbols *symbols) {
    return symbols->locks.count - symbols->doubts + symbols->shared_locks.count;
}
static inline bool st_is_doubtful(const struct st_symbols *symbols, uint32_t lock) {
    return lock < symbols->doubtful_capacity && symbols->doubtful[lock];
}
void st_symbols_doubt(struct st_symbols *symbols, uint32_t lock, bool doubtful);

static inline uint32_t st_signal_count(const struct st_symbols *symbols) {
    return symbols->channels.count - symbols->lock_channels;
}

/* Notes what the channels that are new since the last call are for. Who adds names of channels
 * calls this before the events on them are seen. */
void st_symbols_note_channels(struct st_symbols *symbols);

/* The table in which an operation's target has its name. */
struct st_names *st_symbols_of(struct st_symbols *symbols, enum st_op op);
const struct st_names *st_symbols_of_const(const struct st_symbols *symbols, enum st_op op);

/* The name of a target, "" for ST_NO_NAME. */
const char *st_target_name(const struct st_symbols *symbols, enum st_op op, uint32_t target);

/* The location of an event for text[0 .. length): a number when it is a plain decimal number that
 * fits, otherwise a name. UINT64_MAX when there are too many names. */
uint64_t st_location_add(struct st_symbols *symbols, const char *text, size_t length);

/* The same for a text with 8 readable bytes behind its first, whatever its length. */
uint64_t st_location_add_padded(struct st_symbols *symbols, const char *text, size_t length);

/* Adds a site, and the location that it is. UINT32_MAX when there are too many. */
uint32_t st_symbols_site(struct st_symbols *symbols, struct st_site_row row);

/* Writes the location as text; the result is `buffer` or a name that lives in symbols. */
enum { ST_LOCATION_SIZE = 24 };
const char *st_location_text(const struct st_symbols *symbols, uint64_t loc,
                             char buffer[ST_LOCATION_SIZE]);

#endif
