/* From findings to something to read. Writers see findings and the facts of the trace, never an
 * engine, and have no opinion of their own. Errors of the FILE are the business of its owner. */
#ifndef SERIATIM_REPORT_REPORT_H
#define SERIATIM_REPORT_REPORT_H

#include "finding/counters.h"
#include "finding/prediction.h"
#include "trace/relation.h"
#include "trace/symbols.h"
#include "trace/validate.h"

#include <stdio.h>
#include <time.h>

/* What one engine had to say. */
struct st_result {
    const char *engine;
    const struct st_findings *findings;
    double seconds;    /* of processor time in the engine */
    size_t peak_bytes; /* of the engine's state */

    /* NULL, or: the engine is an algorithm as published, with its errors, and the one of this name
     * is the same without them. Its verdict does not count. */
    const char *published_form_of;
    struct st_counters counters; /* of its work */
};

/* What is known of the place where an event happened, beyond its location. The texts stay until the
 * next question; the lists end with NULL. */
struct st_detail {
    const char *function;
    const char *const *stack; /* function and location of each frame in turn, innermost first */
    const char *const *locks; /* that its thread held */
    bool locks_unknown;       /* that is not known, and the list is empty */
    const uint32_t *acquired; /* of each lock: the frame where it was acquired, in the contexts of
                               * the symbols, or 0; NULL: not known of any */
};

/* Who knows such things. */
struct st_details {
    void (*lookup)(void *context, uint64_t loc, struct st_detail *detail);
    void *context;
};

/* How many names of each kind a trace has. */
struct st_counts {
    uint64_t threads, variables, locks, channels;
};

/* How much of a program was seen, by the watcher of `run`. Functions are those in which something
 * happened; those of the implementation are left out. Lists end with NULL. */
struct st_coverage {
    bool spec;                     /* was there a specification? */
    bool met;                      /* did threads use the same memory, be it unseen? */
    uint64_t functions;            /* in all; of these: */
    const char *const *starts;     /* main, and functions that threads start with, not as blocks */
    const char *const *unselected; /* others that are no blocks: the specification says so */
    const char *const *inlined;    /* functions that were inlined, so that no call is seen */
    const char *const *uninstrumented; /* modules of the user's own without instrumentation */
};

/* The contracts of the JSON. The second is the same as the first, for a program that was run. */
#define ST_CHECK_SCHEMA "seriatim-check/1"
#define ST_RUN_SCHEMA "seriatim-run/1"
#define ST_HUNT_SCHEMA "seriatim-hunt/1"
#define ST_PREDICT_SCHEMA "seriatim-predict/1"

/* What a report is about: one thing of four. Each format switches over them, so that the compiler
 * finds one that forgets a kind. */
enum st_report_kind {
    ST_REPORT_RESULT,                /* what one engine found */
    ST_REPORT_COMPARISON,            /* what several engines found in the same trace */
    ST_REPORT_PREDICTION,            /* what one analysis says of other schedules */
    ST_REPORT_PREDICTION_COMPARISON, /* what several analyses say */
};

struct st_result_list {
    const struct st_result *items;
    size_t count;
};

/* A program of which several processes ran, or that ran beside others. */
struct st_program_row {
    const char *name; /* the path of its executable */
    uint64_t processes, events, violated;
    uint64_t unchecked; /* so many of its processes had nothing that could be checked */
    enum st_verdict verdict;
};

/* The name in the path of an executable. */
const char *st_program_name(const char *path);

struct st_report {
    const char *schema;               /* of its JSON; NULL: ST_CHECK_SCHEMA */
    const char *trace;                /* as the user named it */
    const struct st_details *details; /* or NULL: nobody can */
    const char *folder;               /* where relative locations start; NULL: here */
    const char *root;                 /* where paths start that are passed on, with a slash at its
                                       * end; NULL: as they are (report/source_root.h) */
    time_t built;                     /* when what ran was built; 0 where that is not known */
    const struct st_symbols *symbols;
    const struct st_counts *counts; /* or NULL: `symbols` has all names of the trace */
    const struct st_facts *facts;
    const struct st_repairs *repairs;
    bool file_truncated;                /* the file ends before the trace does */
    bool stopped;                       /* nobody read on behind the first finding */
    const struct st_coverage *coverage; /* or NULL: not known */
    enum st_relation relation;          /* that engines have checked by; not of predictions */
    enum st_report_kind kind;
    union {
        struct st_result_list results; /* of a result, which is one, and of a comparison */
        const struct st_predictions *predictions; /* of a prediction, and of their comparison */
    };
    const struct st_program_row *programs; /* where there was more than one process */
    size_t program_count;
    const char *const *block_programs; /* of each block name then, or NULL */
    const struct st_triage *triage;    /* report/triage/triage.h, or NULL: all findings are new */
    const struct st_hunt_facts *hunt;  /* of a hunt, or NULL */
    bool has_status;                   /* is it known with which status the program will exit? */
    int status;
    const char *editor_url; /* of a page: the address of a line in an editor, with {file} and
                             * {line}; NULL or "": no such links */
};

struct st_text_style {
    bool quiet; /* only the summary */
    bool color;
    size_t width;   /* in columns; 0 where it does not matter: sentences are not broken then */
    size_t stories; /* so many findings are described in full at most; 0: all */
};

void st_report_text(const struct st_report *report, struct st_text_style style, FILE *file);

/* For programs. */
void st_report_json(const struct st_report *report, FILE *file);

/* A page for a browser: one file that needs no other, with excerpts of the sources that it can
 * find. */
void st_report_html(const struct st_report *report, FILE *file);

/* For tools that collect what analysers find: SARIF 2.1.0. */
void st_report_sarif(const struct st_report *report, FILE *file);

/* Lines for a file of suppressions (spec/suppress.h), each once, that match the new findings. The
 * reasons are left to the reader. */
void st_report_suppressions(const struct st_report *report, FILE *file);

/* What is known of a location; texts and lists are empty where nothing is. */
struct st_detail st_detail_at(const struct st_report *report, uint64_t loc);

/* A way in which a report can be written. A new one is a row in report.c. */
struct st_report_format {
    const char *name;
    void (*write)(const struct st_report *report, struct st_text_style style, FILE *file);
};

/* The last one has no name. */
extern const struct st_report_format st_report_formats[];

/* The name of the index-th, or NULL. */
const char *st_report_format_name(size_t index);

/* Whatever the kind: the results, and the predictions. Empty where the report is about the other.
 */
struct st_result_list st_report_results(const struct st_report *report);
const struct st_predictions *st_report_predictions(const struct st_report *report);

struct st_counts st_report_counts(const struct st_report *report);

/* Do two engines give opposite verdicts? One of them must then be wrong. Those as published do not
 * count. */
bool st_report_disagrees(const struct st_report *report);

/* Does the trace end inside blocks or critical sections, or before its file says it ends? */
bool st_report_truncated(const struct st_report *report);

/* All violated blocks of all depths, listed or not. */
uint64_t st_all_violated(const struct st_findings *findings);

/* The begin of a block as an event. */
struct st_place st_begin_place(const struct st_violation *violation);

/* An event's operation as in STD text: "r(x)". Release with free(). */
char *st_op_text(const struct st_symbols *symbols, const struct st_event *event);

/* What an edge is about: a variable, a lock or a thread. */
const char *st_edge_subject(const struct st_symbols *symbols, const struct st_edge *edge);

#endif
