/* The report for people: a paragraph for each violated block, then one line that sums up. */
#include "report/report.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct text {
    FILE *file;
    const struct st_symbols *symbols;
    struct st_text_style style;
};

static const char bold[] = "\033[1m", red[] = "\033[1;31m", green[] = "\033[32m",
                  plain[] = "\033[0m";

static void paint(const struct text *text, const char *color) {
    if (text->style.color)
        fputs(color, text->file);
}

/* Names come from the trace and may hold anything; a terminal must not obey them. */
static void put_name(const struct text *text, const char *name) {
    for (const unsigned char *at = (const unsigned char *)name; *at; at++) {
        if (*at < 0x20 || *at == 0x7f)
            fprintf(text->file, "\\x%02x", *at);
        else
            fputc(*at, text->file);
    }
}

static void put_count(const struct text *text, uint64_t count, const char *noun) {
    fprintf(text->file, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

static void put_thread(const struct text *text, uint32_t thread) {
    put_name(text, st_name(&text->symbols->threads, thread));
}

static bool has_location(const struct text *text, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    return *st_location_text(text->symbols, loc, buffer) != '\0';
}

/* " at bank.c:21"; RAPID's locations are mere numbers. */
static void put_location(const struct text *text, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    const char *name = st_location_text(text->symbols, loc, buffer);
    if (!has_location(text, loc))
        return;
    fputs(loc & ST_LOC_NAME ? " at " : " at location ", text->file);
    put_name(text, name);
}

static void put_op(const struct text *text, const struct st_event *event) {
    char *op = st_op_text(text->symbols, event);
    put_name(text, op);
    free(op);
}

/* "T1 rel(l) at bank.c:25 (event 9)" */
static void put_place(const struct text *text, const struct st_place *place) {
    put_thread(text, place->event.thread);
    fputc(' ', text->file);
    put_op(text, &place->event);
    put_location(text, place->event.loc);
    fprintf(text->file, " (event %" PRIu64 ")", place->number);
}

static void put_edges(const struct text *text, const struct st_edge *edges, size_t count) {
    static const char *const reasons[] = {
        [ST_EDGE_CONFLICT] = "conflict on ",
        [ST_EDGE_LOCK] = "lock ",
        [ST_EDGE_FORK] = "fork of ",
        [ST_EDGE_JOIN] = "join of ",
    };
    for (size_t i = 0; i < count; i++) {
        fputs("    ", text->file);
        put_place(text, &edges[i].from);
        fputs(" -> ", text->file);
        put_place(text, &edges[i].to);
        fprintf(text->file, ": %s", reasons[edges[i].kind]);
        put_name(text, st_edge_subject(text->symbols, &edges[i]));
        fputc('\n', text->file);
    }
}

/* "Block transfer of thread T1 was not atomic (events 3 to 14, begin at bank.c:21)." */
static void put_headline(const struct text *text, const struct st_violation *violation,
                         const char *what) {
    const char *name = st_target_name(text->symbols, ST_BEGIN, violation->block);
    paint(text, red);
    fputs(violation->depth ? "Nested block" : "Block", text->file);
    if (*name)
        fputc(' ', text->file);
    put_name(text, name);
    fputs(" of thread ", text->file);
    put_thread(text, violation->thread);
    fprintf(text->file, " %s", what);
    paint(text, plain);
    if (violation->end)
        fprintf(text->file, " (events %" PRIu64 " to %" PRIu64, violation->begin, violation->end);
    else
        fprintf(text->file, " (from event %" PRIu64 " on, its end was not seen", violation->begin);
    if (has_location(text, violation->begin_loc))
        fputs(", begin", text->file);
    put_location(text, violation->begin_loc);
    fputs(").\n", text->file);
}

/* The other thread on the path, when there is just one. */
static bool only_other_thread(const struct st_violation *violation, uint32_t *thread) {
    for (size_t i = 0; i < violation->path_length; i++) {
        uint32_t next = violation->path[i].to.event.thread;
        if (next == violation->thread)
            continue;
        if (i > 0 && next != *thread)
            return false;
        *thread = next;
    }
    return violation->path_length > 0;
}

/* "event 28, acq(l) at bank.c:25" */
static void put_event(const struct text *text, const char *before, const struct st_place *place) {
    fprintf(text->file, "%sevent %" PRIu64 ", ", before, place->number);
    put_op(text, &place->event);
    put_location(text, place->event.loc);
}

/* Who came in between, as far as the engine knows. */
static void put_intruder(const struct text *text, const struct st_violation *violation) {
    uint32_t other = violation->closing.from.event.thread;
    bool one = violation->path_length ? only_other_thread(violation, &other)
                                      : violation->closing.to.number != 0;
    if (one) {
        fputs("  Thread ", text->file);
        put_thread(text, other);
    } else {
        fputs("  Another thread", text->file);
    }
    fputs(" came in between:\n", text->file);
}

/* Why: another thread's event lies between the begin and this event, in happens-before. */
static void put_proof(const struct text *text, const struct st_violation *violation) {
    put_intruder(text, violation);
    if (violation->path_length) {
        put_edges(text, violation->path, violation->path_length);
        return;
    }
    fputs("    ", text->file);
    if (violation->closing.from.number)
        put_place(text, &violation->closing.from);
    else
        fputs("its work", text->file);
    fputs(" depends on what the block had done,\n    ", text->file);
    put_place(text, &violation->event);
    fputs(", still in the block, depends on that.\n", text->file);
}

/* The engine blames whatever closes a cycle, so there is nothing more to say. */
static void put_closer(const struct text *text, const struct st_violation *violation) {
    put_headline(text, violation, "closed a cycle of transactions");
    put_event(text, "  It did so with ", &violation->event);
    fputs("; whether this block itself was cut, this engine does not tell.\n", text->file);
}

static void put_violation(const struct text *text, const struct st_findings *findings,
                          const struct st_violation *violation) {
    if (findings->blames_closers && !violation->path_length) {
        put_closer(text, violation);
        return;
    }
    put_headline(text, violation, "was not atomic");
    put_proof(text, violation);
}

/* Violations of the same block at the same place of the code, whoever ran it and whenever. */
static int compare_places(const struct st_violation *a, const struct st_violation *b) {
    const uint64_t left[] = {a->block, a->depth, a->begin_loc, a->event.event.loc,
                             a->event.event.written};
    const uint64_t right[] = {b->block, b->depth, b->begin_loc, b->event.event.loc,
                              b->event.event.written};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int compare_violations(const void *left, const void *right) {
    const struct st_violation *a = *(const struct st_violation *const *)left;
    const struct st_violation *b = *(const struct st_violation *const *)right;
    int order = compare_places(a, b);
    return order ? order : (a > b) - (a < b);
}

/* For each violation how many are like it, in the place of the first of them; 0 for the others. */
static size_t *count_alike(const struct st_findings *findings) {
    size_t count = findings->kept, *alike = st_alloc(count, sizeof *alike);
    const struct st_violation **sorted = st_alloc(count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &findings->violations[i];
    qsort(sorted, count, sizeof *sorted, compare_violations);
    for (size_t i = 0, first = 0; i < count; i++) {
        if (compare_places(sorted[first], sorted[i]) != 0)
            first = i;
        alike[sorted[first] - findings->violations]++;
    }
    free(sorted);
    return alike;
}

static void put_violations(const struct text *text, const struct st_findings *findings) {
    size_t *alike = count_alike(findings);
    for (size_t i = 0; i < findings->kept; i++) {
        if (!alike[i])
            continue;
        put_violation(text, findings, &findings->violations[i]);
        if (alike[i] > 1)
            fprintf(text->file, "  The same happened %zu times in the same place.\n", alike[i]);
        fputc('\n', text->file);
    }
    free(alike);
    uint64_t more = st_all_violated(findings) - findings->kept;
    if (more) {
        put_count(text, more, "more violated block");
        fputs(" not listed; --limit 0 lists all.\n\n", text->file);
    }
}

/* Not serializable, and yet no thread left a block and came back to it. */
static void put_cycle(const struct text *text, const struct st_findings *findings) {
    paint(text, red);
    fputs("No serial order explains the trace", text->file);
    paint(text, plain);
    fprintf(text->file,
            ", although no single block was cut:\n"
            "  with event %" PRIu64 " its transactions wait for each other in a cycle%s\n",
            findings->first_bad_event, findings->cycle_length ? ":" : ".");
    put_edges(text, findings->cycle, findings->cycle_length);
    fputc('\n', text->file);
}

static const char *verdict_words(enum st_verdict verdict) {
    return verdict == ST_SERIALIZABLE       ? "serializable"
           : verdict == ST_NOT_SERIALIZABLE ? "not serializable"
                                            : "undecided";
}

static void put_facts(const struct text *text, const struct st_report *report) {
    const struct {
        uint64_t count;
        const char *noun;
    } facts[] = {
        {report->facts->events, "event"},        {text->symbols->threads.count, "thread"},
        {text->symbols->locks.count, "lock"},    {text->symbols->variables.count, "variable"},
        {report->facts->ops[ST_BEGIN], "block"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        fputs(i ? ", " : "", text->file);
        put_count(text, facts[i].count, facts[i].noun);
    }
    if (report->cut)
        fputs("; the file is cut off", text->file);
    else if (st_report_truncated(report) && !report->stopped)
        fputs("; truncated", text->file);
}

static void put_block_counts(const struct text *text, const struct st_findings *findings) {
    uint64_t violated = st_all_violated(findings);
    if (!findings->names_blocks)
        return;
    fputs("; ", text->file);
    if (violated)
        put_count(text, violated, "violated block");
    else
        fputs("no violated block", text->file);
}

static void put_summary(const struct text *text, const struct st_report *report) {
    const struct st_result *result = &report->results[0];
    const struct st_findings *findings = result->findings;
    put_name(text, report->trace);
    fputs(": ", text->file);
    paint(text, findings->verdict == ST_SERIALIZABLE ? green : red);
    fputs(verdict_words(findings->verdict), text->file);
    paint(text, plain);
    if (findings->first_bad_event)
        fprintf(text->file, ", first bad event %" PRIu64, findings->first_bad_event);
    put_block_counts(text, findings);
    if (report->stopped)
        fputs("; stopped at the first finding", text->file);
    fprintf(text->file, " (%s: ", result->engine);
    put_facts(text, report);
    fputs(")\n", text->file);
}

/* Three digits and a unit. */
static void scale_time(char *buffer, size_t size, double seconds) {
    if (seconds < 1e-3)
        snprintf(buffer, size, "%.0f us", seconds * 1e6);
    else if (seconds < 1)
        snprintf(buffer, size, "%.*f ms", seconds < 0.01 ? 2 : 1, seconds * 1e3);
    else
        snprintf(buffer, size, "%.2f s", seconds);
}

static void scale_bytes(char *buffer, size_t size, size_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1000 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    snprintf(buffer, size, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void put_row(const struct text *text, const struct st_result *result) {
    const struct st_findings *findings = result->findings;
    char first[24] = "-", violated[24] = "-", seconds[24], bytes[24];
    if (findings->first_bad_event)
        snprintf(first, sizeof first, "%" PRIu64, findings->first_bad_event);
    if (findings->names_blocks)
        snprintf(violated, sizeof violated, "%" PRIu64, st_all_violated(findings));
    scale_time(seconds, sizeof seconds, result->seconds);
    scale_bytes(bytes, sizeof bytes, result->peak_bytes);
    fprintf(text->file, "%-14s ", result->engine);
    paint(text, findings->verdict == ST_SERIALIZABLE ? green : red);
    fprintf(text->file, "%-16s", verdict_words(findings->verdict));
    paint(text, plain);
    fprintf(text->file, " %15s  %15s  %9s  %10s\n", first, violated, seconds, bytes);
}

static void put_table(const struct text *text, const struct st_report *report) {
    put_name(text, report->trace);
    fputs(": ", text->file);
    put_facts(text, report);
    fputs("\n\n", text->file);
    paint(text, bold);
    fprintf(text->file, "%-14s %-16s %15s  %15s  %9s  %10s\n", "engine", "verdict",
            "first bad event", "violated blocks", "time", "peak state");
    paint(text, plain);
    for (size_t i = 0; i < report->result_count; i++)
        put_row(text, &report->results[i]);
    if (!st_report_disagrees(report))
        return;
    paint(text, red);
    fputs("\nTHE ENGINES DISAGREE about the verdict, so at least one of them is wrong.\n"
          "This is a bug in seriatim: please report it together with the trace.\n",
          text->file);
    paint(text, plain);
}

void st_report_text(const struct st_report *report, struct st_text_style style, FILE *file) {
    struct text text = {file, report->symbols, style};
    const struct st_findings *findings = report->results[0].findings;
    if (report->compare) {
        put_table(&text, report);
        return;
    }
    if (!style.quiet) {
        put_violations(&text, findings);
        if (findings->names_blocks && !st_all_violated(findings) && findings->first_bad_event)
            put_cycle(&text, findings);
    }
    put_summary(&text, report);
}
