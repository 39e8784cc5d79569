#include "session/live_report.h"

#include "report/story/story.h"
#include "report/triage/gaps.h"
#include "session/finding_names.h"
#include "session/seen.h"

#include <stdlib.h>

static bool is_unchecked(const struct st_report *report) {
    struct st_unchecked unchecked = st_report_unchecked(report);
    bool result = unchecked.what != NULL;
    st_unchecked_free(&unchecked);
    return result;
}

static void add_calls(void *context, uint32_t block, uint64_t calls) {
    struct st_live_check *check = context;
    st_validator_count(check->validator, block, calls);
}

/* When it has stopped at the first finding, calls that came later do not count. */
static void take_counts(struct st_live_check *check) {
    if (check->counted_all)
        return;
    st_translator_take_counts(check->watch.translator, add_calls, check);
    check->counted_all = check->run.stopped;
}

void st_live_report(struct st_live_check *check, const char *name, bool with_spec,
                    st_live_report_user *use, void *context) {
    struct st_translator *translator = check->watch.translator;
    take_counts(check);
    struct st_findings findings = st_engine_run_snapshot(&check->run);
    struct st_finding_names *names = st_finding_names_new(translator, &findings);
    struct st_details details = st_finding_names_details(names);
    struct st_result result = st_engine_run_result(&check->run, &findings);
    struct st_facts facts = st_live_check_facts(check);
    struct st_seen seen = {0};
    struct st_report report = {.schema = ST_RUN_SCHEMA,
                               .trace = name,
                               .details = &details,
                               .built = st_places_built(st_translator_places(translator)),
                               .symbols = st_finding_names_symbols(names),
                               .facts = &facts,
                               .repairs = st_validator_repairs(check->validator),
                               .stopped = check->run.stopped,
                               .relation = check->relation,
                               .kind = ST_REPORT_RESULT,
                               .results = {&result, 1}};
    st_find_gaps(&report, &findings);
    if (is_unchecked(&report)) {
        st_seen_find(&seen, translator, with_spec);
        seen.coverage.met = st_watch_saw_meeting(&check->watch);
        report.coverage = &seen.coverage;
    }
    use(context, &report);
    st_seen_free(&seen);
    st_finding_names_free(names);
    st_free_gaps(&findings);
    st_engine_run_free_snapshot(&findings);
}
