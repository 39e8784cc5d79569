/* The parts of which SARIF is made: messages, places in sources, stacks, and the order in which
 * threads did something. */
#ifndef SERIATIM_REPORT_SARIF_SARIF_PARTS_H
#define SERIATIM_REPORT_SARIF_SARIF_PARTS_H

#include "base/json.h"
#include "report/report.h"

struct st_sarif {
    const struct st_report *report;
    struct st_json json;
    const char *folder; /* where the sources are, with a slash at its end; NULL: not known */
};

/* "key": {"text": ...}, and with "markdown" unless that is NULL. Both are plain words: what means
 * something in a message of SARIF is escaped here. */
void st_sarif_message(struct st_sarif *sarif, const char *key, const char *text,
                      const char *markdown);

/* The text with a backslash before each character that means something in Markdown. Release with
 * free(). */
char *st_markdown(const char *text);

/* "artifactLocation": {...} for a path. */
void st_sarif_artifact(struct st_sarif *sarif, const char *path);

/* A location object for what happened at `place`. `message` is what to say about it. */
void st_sarif_location(struct st_sarif *sarif, const struct st_place *place, const char *message);

/* The line in the block at which it was cut: that of the event which proves it, or of the call that
 * the block made to get there. */
void st_sarif_block_location(struct st_sarif *sarif, const struct st_violation *violation,
                             const char *message);

/* "stack": {...} unless nothing is known of it; `key` NULL in a list. */
void st_sarif_stack(struct st_sarif *sarif, const char *key, const struct st_place *place,
                    const char *message);
bool st_sarif_has_stack(const struct st_sarif *sarif, const struct st_place *place);

/* What was done: "released lock checking.lock", with the location if it is of no file. Release with
 * free(). */
char *st_sarif_deed(const struct st_sarif *sarif, const struct st_place *place);

/* "codeFlows": [...], with one flow for each thread and the order across all of them, which is that
 * of the steps. The flow of `home` comes first. */
void st_sarif_code_flow(struct st_sarif *sarif, const struct st_place *steps, size_t count,
                        uint32_t home);

#endif
