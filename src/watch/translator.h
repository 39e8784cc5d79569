/* From the records of a program (stream/stream.h) to events as engines and trace writers take them.
 *
 * Which functions are blocks: those that the specification calls atomic; annotated blocks always.
 * Where no line of it is about a function, blocks are inferred: all functions but main, what a
 * thread, a member of a team or a task starts with, and what belongs to the implementation (std::,
 * names that begin with __).
 * Inferred blocks are split where their thread waits for others on purpose (ST_STREAM_SPLIT). With
 * `atomic section` each outermost critical section is a block, too. */
#ifndef SERIATIM_WATCH_TRANSLATOR_H
#define SERIATIM_WATCH_TRANSLATOR_H

#include "base/error.h"
#include "base/options.h"
#include "spec/spec.h"
#include "trace/symbols.h"
#include "trace/values.h"
#include "watch/merge/merge.h"
#include "watch/places.h"
#include "watch/sites.h"
#include "watch/slots.h"
#include "watch/memory/variables.h"

struct st_translator;

/* Takes a batch of events; their names are in the symbols, as far as they are kept there. There is
 * room for ST_BATCH_ROOM events behind the last. `at`: the epoch of each (stream/stream.h). */
typedef void st_event_sink(void *context, struct st_event *events, const uint64_t *at,
                           size_t count);
enum { ST_BATCH = 4096, ST_BATCH_ROOM = 64 };

struct st_translation {
    const struct st_spec *spec; /* or NULL */

    /* Globs for functions that only hand out memory, beside those that are recognised; or NULL.
     * They must outlive the translator. */
    const struct st_texts *allocators;
    const char *source_root; /* where sources of Java classes may be, or NULL */

    bool sites; /* an event's location has the number of its site (sites.h); otherwise a line */

    /* Of a site only what does not follow from events before it: its calls are those since the
     * begin of the innermost open block, and it has no locks. */
    bool outline;

    /* Variables have their names as soon as an event refers to them; otherwise names are asked for
     * at the end, of those that somebody wants to see. Lines always have theirs. */
    bool names;

    st_event_sink *sink;
    st_dead_before *dead_before; /* NULL: accesses are not to be deferred */

    bool quiet_locks; /* locks make no order, so they have no events where that can be */

    /* Deferred accesses become events of a trace, at their places: looks are emitted, and what is
     * known of an access is what a trace says of it. */
    bool recorded;

    enum st_stream_rule rule; /* which accesses may be left out, if none are deferred */

    bool values; /* of accesses, with the events: st_translator_values */

    /* An access to variables with consecutive numbers may be one event: st_translator_runs. Not
     * with values. */
    bool runs;

    /* Nothing may depend on how fast the watcher is, as what a controlled run does is compared with
     * other runs: the program never learns what no longer matters, and all is done when a batch is
     * full. */
    bool repeatable;

    /* What is known of that variable is void: the next event with its number is about another one
     * of the same name. NULL: every variable has its own number for ever, and memory grows with
     * each allocation. */
    void (*forget)(void *context, uint32_t variable);
    bool (*may_forget)(void *context); /* now, between two batches; NULL: always */
    bool forgets_at_end; /* also when the program has ended, and nothing will be known by the number
                          * again */

    void *context; /* of all of them */
};

struct st_translator *st_translator_new(const struct st_translation *translation);
void st_translator_free(struct st_translator *translator);

/* With the translator as its context. */
st_record_sink st_translate;

/* The stream of the program, in which the translator writes which accesses can no longer matter,
 * and what hands out memory, and reads counts of functions. */
void st_translator_publish_to(struct st_translator *translator, struct st_stream_head *head);

/* Calls that the program has counted since the last time; events do not count them. */
typedef void st_call_sink(void *context, uint32_t block, uint64_t calls);
void st_translator_take_counts(struct st_translator *translator, st_call_sink *sink, void *context);

/* For the sink: one for each event of the batch. */
const struct st_access_value *st_translator_values(const struct st_translator *translator);

/* Likewise: for how many more events, on the variables with the next numbers, each of them stands.
 * NULL: for none. */
const uint32_t *st_translator_runs(const struct st_translator *translator);

/* Hands what is buffered to the sink. */
void st_translator_flush(struct st_translator *translator);

/* No more records will come. `orderly`: the program has ended by itself, so that blocks which were
 * open end with it. */
void st_translator_finish(struct st_translator *translator, bool orderly);

struct st_symbols *st_translator_symbols(struct st_translator *translator);
struct st_sites *st_translator_sites(struct st_translator *translator);
struct st_places *st_translator_places(struct st_translator *translator);
uint32_t st_translator_variable_count(const struct st_translator *translator);

/* A function in which something happened. */
struct st_seen_function {
    const char *name;
    bool hidden;    /* it is of the implementation */
    bool outermost; /* it is main, or threads start with it */
    bool was_block; /* some call of it was a block */
};
size_t st_translator_function_count(const struct st_translator *translator);
struct st_seen_function st_translator_function(const struct st_translator *translator, size_t i);

/* Writes the name of a thread: that which the program gave it, or "T3". */
void st_translator_thread_name(const struct st_translator *translator, uint32_t thread,
                               char *buffer, size_t size);

/* Writes the name of a variable: "total", "item->refcount from bank.c:12 (main)", "pool.jobs in
 * main", "heap block of 64 bytes from bank.c:12 (main)+8". */
void st_translator_variable_name(struct st_translator *translator, uint32_t variable, char *buffer,
                                 size_t size);
enum { ST_LONGEST_NAME = 1024 };

struct st_translator_facts {
    uint64_t odd_releases; /* of locks that the thread does not hold: left out */
    uint64_t garbage;      /* records that make no sense */
};
const struct st_translator_facts *st_translator_facts(const struct st_translator *translator);

#endif
