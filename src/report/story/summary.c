/* What a whole result says, in one line. */
#include "report/story/builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- What was found ---- */

/* "nothing was checked: no block ran" */
static struct st_summary unchecked_summary(const struct st_unchecked *unchecked) {
    static const char verdict[] = "nothing was checked";
    struct st_summary summary = {.verdict = strlen(verdict), .meaning = strlen(verdict)};
    struct st_text_buffer buffer;
    fprintf(st_text_buffer_open(&buffer), "%s: %s", verdict, unchecked->what);
    summary.text = st_text_buffer_close(&buffer);
    return summary;
}

static struct st_summary verdict_summary(const struct st_result *result) {
    static const char *const verdicts[][2] = {
        [ST_SERIALIZABLE] = {"serializable", " (some order of whole blocks explains this run)"},
        [ST_NOT_SERIALIZABLE] = {"not serializable",
                                 " (no order of whole blocks explains this run)"},
        [ST_UNDECIDED] = {"undecided", ""}};
    const struct st_findings *findings = result->findings;
    uint64_t violated = st_all_violated(findings);
    const char *verdict = verdicts[findings->verdict][0], *meaning = verdicts[findings->verdict][1];
    struct st_summary summary = {.verdict = strlen(verdict)};
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    summary.meaning = summary.verdict + strlen(meaning);
    fprintf(file, "%s%s", verdict, meaning);
    if (findings->first_bad_event)
        fprintf(file, ", first bad event %" PRIu64, findings->first_bad_event);
    if (findings->names_blocks && violated) {
        fputs("; ", file);
        st_put_counted(file, violated, "violated block");
    } else if (findings->names_blocks) {
        fputs("; no violated block", file);
    }
    if (findings->gave_up)
        fprintf(file, "; %s", findings->gave_up);
    summary.text = st_text_buffer_close(&buffer);
    return summary;
}

static bool is_of_program(const struct st_report *report) {
    return report->details || report->built ||
           (report->schema && (strcmp(report->schema, ST_RUN_SCHEMA) == 0 ||
                               strcmp(report->schema, ST_HUNT_SCHEMA) == 0));
}

const char *st_relation_remark(const struct st_report *report) {
    enum st_relation usual = st_relation_or_usual(ST_USUAL_RELATION, is_of_program(report));
    if (report->relation == usual)
        return NULL;
    return report->relation == ST_DATA ? "lock order does not count" : "lock order counts";
}

struct st_summary st_result_summary(const struct st_report *report,
                                    const struct st_result *result) {
    struct st_unchecked unchecked = st_report_unchecked(report);
    bool failed = report->hunt && report->hunt->failure_count;
    struct st_summary summary = unchecked.what && !failed ? unchecked_summary(&unchecked)
                                : report->hunt            ? st_hunt_summary(report, result)
                                                          : verdict_summary(result);
    st_unchecked_free(&unchecked);
    return summary;
}

/* ---- What was predicted ---- */

const struct st_tier st_tiers_promise[ST_TIERS] = {
    {ST_BLOCK_VIOLATION, "proven",
     "The program could have taken a schedule that cuts the block, and this is one."},
    {ST_BLOCK_POTENTIAL, "possible",
     "Some order of the recorded events cuts the block, but the program may never take it. Let "
     "'seriatim predict --confirm TRACE -- PROGRAM' or 'seriatim hunt -- PROGRAM' try to make it "
     "happen."},
};

/* "2 of 14 blocks may be cut in other schedules" */
static void put_reported(FILE *file, const struct st_prediction *prediction, const char *noun) {
    uint64_t reported = st_all_reported(prediction);
    uint64_t certain = prediction->by[ST_BLOCK_VIOLATION];
    bool any_reads = st_prediction_any_reads(prediction);
    fprintf(file, "%" PRIu64 " of ", reported);
    st_put_counted(file, prediction->block_count, noun);
    if (certain < reported)
        fputs(" may be cut in other schedules", file);
    else if (any_reads)
        fputs(reported == 1 ? " is cut in an interleaving of this run's events"
                            : " are cut in interleavings of this run's events",
              file);
    else
        fputs(reported == 1 ? " is cut in a schedule that the program could have taken"
                            : " are cut in schedules that the program could have taken",
              file);
    if (certain && certain < reported)
        fprintf(file, ", %" PRIu64 " of them %s", certain,
                any_reads              ? "in an interleaving that was found"
                : prediction->in_tiers ? "proven"
                                       : "for certain");
}

/* "no block can be cut in any schedule of this run", "no other ..." */
static void put_nothing(FILE *file, const struct st_prediction *prediction, const char *subject) {
    fprintf(file, "%s %s", subject,
            prediction->may_miss ? "was found that another schedule could cut"
            : st_prediction_same_reads(prediction)
                ? "is cut in any schedule in which reads see what they saw"
                : "can be cut in any schedule of this run");
}

/* "undecided: 1 of 3 blocks, and no other is cut in ..." */
static void put_undecided(FILE *file, const struct st_prediction *prediction, const char *noun) {
    uint64_t open = prediction->by[ST_BLOCK_TIMEOUT], all = prediction->block_count;
    fputs("undecided: ", file);
    if (all == 1) {
        fprintf(file, "the only %s", noun);
    } else if (open == all) {
        fprintf(file, "all %" PRIu64 " %ss", all, noun);
    } else {
        fprintf(file, "%" PRIu64 " of %" PRIu64 " %ss, and ", open, all, noun);
        put_nothing(file, prediction, "no other");
    }
}

static void put_verdict(FILE *file, const struct st_report *report,
                        const struct st_prediction *prediction) {
    bool all = report->facts->deepest <= prediction->deepest + 1;
    const char *noun = all || prediction->deepest ? "block" : "outermost block";
    if (!prediction->block_count)
        fputs("there is no block that could be cut", file);
    else if (st_all_reported(prediction))
        put_reported(file, prediction, noun);
    else if (prediction->by[ST_BLOCK_TIMEOUT])
        put_undecided(file, prediction, noun);
    else
        put_nothing(file, prediction, "no block");
}

char *st_deadlock_count_text(const struct st_predictions *predictions) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    if (predictions->deadlock_count) {
        fputs(predictions->more_deadlocks ? "; at least " : "; ", file);
        st_put_counted(file, predictions->deadlock_count, "deadlock potential");
    }
    return st_text_buffer_close(&buffer);
}

struct st_summary st_prediction_summary(const struct st_report *report,
                                        const struct st_prediction *prediction) {
    uint64_t open = prediction->by[ST_BLOCK_TIMEOUT];
    struct st_summary summary = {0};
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    put_verdict(file, report, prediction);
    summary.verdict = summary.meaning = (size_t)ftell(file);
    if (st_all_reported(prediction) && open)
        fprintf(file, "; %" PRIu64 " %s not decided", open, open == 1 ? "was" : "were");
    char *deadlocks = st_deadlock_count_text(st_report_predictions(report));
    fputs(deadlocks, file);
    free(deadlocks);
    summary.text = st_text_buffer_close(&buffer);
    return summary;
}
