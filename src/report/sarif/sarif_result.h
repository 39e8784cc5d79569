/* A finding as a result of SARIF: its story, and the data that other tools work with. */
#ifndef SERIATIM_REPORT_SARIF_SARIF_RESULT_H
#define SERIATIM_REPORT_SARIF_SARIF_RESULT_H

#include "report/sarif/sarif_location.h"
#include "report/story/story.h"
#include "report/triage/triage.h"

struct st_sarif_finding {
    const struct st_story *story;
    const struct st_violation *violation; /* the block that it is about, or NULL */
    const struct st_place *proof;         /* where it is; NULL: in the trace as a whole */
    const struct st_place *other;         /* the other side, whose stack is shown too, or NULL */
    struct st_fingerprint fingerprint;    /* "": it has none */
    struct st_mark mark;
    const char *verdict, *pattern; /* of a prediction; NULL: none */
};

void st_sarif_result(struct st_sarif *sarif, const struct st_sarif_finding *finding);

/* "rules": [...], one for each kind of story. */
void st_sarif_rules(struct st_json *json);

#endif
