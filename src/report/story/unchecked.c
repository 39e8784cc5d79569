/* That nothing was checked, and why. Every reason is a fact of the run; what is only likely is left
 * out. */
#include "report/story/builder.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED = 3 };

static bool is_of_program(const struct st_report *report) {
    return report->schema && strcmp(report->schema, ST_RUN_SCHEMA) == 0;
}

/* Takes the sentence over. */
static void add(struct st_unchecked *unchecked, char *reason) {
    /* The list ends with NULL, too. */
    st_reserve(&unchecked->reasons, &unchecked->capacity, unchecked->count + 2);
    unchecked->reasons[unchecked->count++] = reason;
    unchecked->reasons[unchecked->count] = NULL;
}

static size_t count_names(const char *const *names) {
    size_t count = 0;
    while (names && names[count])
        count++;
    return count;
}

/* "audit, transfer, deposit and 4 more" */
static char *list_names(const char *const *names) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    size_t count = count_names(names), shown = count <= NAMED + 1 ? count : NAMED;
    for (size_t i = 0; i < shown; i++)
        fprintf(file, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", names[i]);
    if (shown < count)
        fprintf(file, " and %zu more", count - shown);
    return st_text_buffer_close(&buffer);
}

/* `one` and `many` have a %s for the names. */
static void add_named(struct st_unchecked *unchecked, const struct st_report *report,
                      const char *const *names, const char *one, const char *many) {
    size_t count = count_names(names);
    if (!count)
        return;
    char *list = list_names(names);
    add(unchecked, st_sentence(report, count == 1 ? one : many, list));
    free(list);
}

/* Those that the specification, if there is one, left in. */
static uint64_t count_blocks(const struct st_facts *facts) {
    uint64_t blocks = facts->unnamed_blocks;
    for (size_t i = 0; i < facts->executed_count; i++)
        blocks += facts->executed[i];
    return blocks;
}

/* ---- What a program did ---- */

static void explain_blindness(struct st_unchecked *unchecked, const struct st_report *report) {
    const struct st_coverage *coverage = report->coverage;
    add_named(unchecked, report, coverage->uninstrumented,
              "%s was built without instrumentation, so nothing that it does is seen: build it "
              "with seriatim-cc or seriatim-c++.",
              "%s were built without instrumentation, so nothing that they do is seen: build them "
              "with seriatim-cc or seriatim-c++.");
}

/* Without instrumentation it does not matter what was inlined. */
static void explain_inlining(struct st_unchecked *unchecked, const struct st_report *report) {
    if (!report->coverage->functions)
        return;
    add_named(unchecked, report, report->coverage->inlined,
              "%s was inlined, so its calls are not seen: build with seriatim-cc or seriatim-c++, "
              "or add -fno-inline.",
              "%s were inlined, so their calls are not seen: build with seriatim-cc or "
              "seriatim-c++, or add -fno-inline.");
}

static void explain_no_block(struct st_unchecked *unchecked, const struct st_report *report) {
    const struct st_coverage *coverage = report->coverage;
    size_t unselected = count_names(coverage->unselected);
    explain_blindness(unchecked, report);
    explain_inlining(unchecked, report);
    if (coverage->spec)
        add_named(unchecked, report, coverage->unselected,
                  "The specification calls none of the functions that ran atomic. There is one: "
                  "%s.",
                  "The specification calls none of the functions that ran atomic: %s.");
    if (!coverage->functions && !count_names(coverage->uninstrumented))
        add(unchecked, st_strdup("No function with instrumentation was seen to share memory, lock "
                                 "or wait."));
    else if (coverage->functions && !unselected && !count_names(coverage->inlined))
        add_named(unchecked, report, coverage->starts,
                  "All that was seen happened in %s itself, and not in functions that it calls. "
                  "Put what should be atomic into a function of its own, or mark it with "
                  "SERIATIM_ATOMIC_BEGIN and SERIATIM_ATOMIC_END.",
                  "All that was seen happened in %s themselves, and not in functions that they "
                  "call. Put what should be atomic into a function of its own, or mark it with "
                  "SERIATIM_ATOMIC_BEGIN and SERIATIM_ATOMIC_END.");
}

static void explain_program(struct st_unchecked *unchecked, const struct st_report *report,
                            const struct st_counts *counts) {
    bool blocks = count_blocks(report->facts) > 0;
    if (counts->threads < 2) {
        unchecked->what = st_strdup("only one thread ran");
        add(unchecked, st_strdup("Nothing could come in between. Run the program in a way that "
                                 "starts more threads."));
    } else if (!blocks) {
        unchecked->what = st_strdup("no block ran");
    } else if (!counts->variables && !(report->coverage && report->coverage->met)) {
        unchecked->what = st_strdup("no two threads were seen to touch the same memory");
    }
    if (!unchecked->what || !report->coverage || counts->threads < 2)
        return;
    if (!blocks)
        explain_no_block(unchecked, report);
    else
        explain_blindness(unchecked, report);
}

/* ---- What is in a trace ---- */

static void explain_trace(struct st_unchecked *unchecked, const struct st_report *report,
                          const struct st_counts *counts) {
    const struct st_facts *facts = report->facts;
    bool blocks = count_blocks(facts) > 0;
    if (!facts->events)
        unchecked->what = st_strdup("the trace is empty");
    else if (counts->threads < 2)
        unchecked->what = st_strdup("the trace has only one thread");
    else if (!blocks && facts->ops[ST_BEGIN])
        unchecked->what = st_strdup("the specification calls none of the trace's blocks atomic");
    else if (!blocks)
        unchecked->what = st_strdup("the trace has no block");
    else if (!counts->variables && !counts->locks && !counts->channels)
        unchecked->what = st_strdup("the threads of the trace have nothing in common");
}

/* Does it sound like an all-clear? */
static bool sounds_good(const struct st_report *report) {
    struct st_result_list results = st_report_results(report);
    bool good = false;
    for (size_t i = 0; i < results.count; i++) {
        const struct st_findings *findings = results.items[i].findings;
        if (findings->verdict == ST_NOT_SERIALIZABLE || st_all_violated(findings))
            return false;
        good |= findings->verdict == ST_SERIALIZABLE;
    }
    return good;
}

struct st_unchecked st_report_unchecked(const struct st_report *report) {
    struct st_unchecked unchecked = {0};
    struct st_counts counts = st_report_counts(report);
    if (!sounds_good(report) || report->stopped)
        return unchecked;
    if (is_of_program(report))
        explain_program(&unchecked, report, &counts);
    else
        explain_trace(&unchecked, report, &counts);
    return unchecked;
}

void st_unchecked_free(struct st_unchecked *unchecked) {
    free(unchecked->what);
    for (size_t i = 0; i < unchecked->count; i++)
        free(unchecked->reasons[i]);
    free(unchecked->reasons);
    *unchecked = (struct st_unchecked){0};
}
