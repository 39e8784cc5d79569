/* Places in SARIF: messages, files, locations and stacks. */
#ifndef SERIATIM_REPORT_SARIF_SARIF_LOCATION_H
#define SERIATIM_REPORT_SARIF_SARIF_LOCATION_H

#include "base/json.h"
#include "report/calls.h"
#include "report/report.h"

/* A log that is being written. */
struct st_sarif {
    const struct st_report *report;
    struct st_json json;
    const char *folder; /* where the sources are, with a slash at its end; NULL: not known */
    uint64_t results;   /* of this run so far, also those that are left out */
    uint64_t left_out;  /* of this run, since the file would be too large */
    struct st_sarif_size *size;
};

/* What GitHub takes: so many results in a run, steps in a flow, and bytes of a file after
 * compression: 10 MB, less what sarif_size.h measures too little. Later results do without their
 * interleaving. */
enum {
    ST_SARIF_RESULTS = 25000,
    ST_SARIF_IN_FULL = 2000,
    ST_SARIF_STEPS = 1000,
    ST_SARIF_BYTES = 8500000,
    ST_SARIF_BYTES_IN_FULL = 5000000,
};

/* "key": {"text": ...}, and with "markdown" unless that is NULL. Braces, which mean something in a
 * message of SARIF, are escaped here. */
void st_sarif_message(struct st_sarif *sarif, const char *key, const char *text,
                      const char *markdown);

/* The text with a backslash before each character that means something in Markdown. Release with
 * free(). */
char *st_markdown(const char *text);

/* "physicalLocation": {...} for a line of a file; line 0 is the whole file. */
void st_sarif_file(struct st_sarif *sarif, const char *path, uint32_t line);

/* "physicalLocation" and "logicalLocations", as far as they are known. A location that names no
 * line of a file is in the trace. */
void st_sarif_place(struct st_sarif *sarif, const char *location, const char *function);

/* What is known of the place of an event; nothing where it is not known. */
struct st_detail st_sarif_detail(const struct st_sarif *sarif, const struct st_place *place);

/* {"frames": [...]} of calls in the user's own code. */
void st_sarif_calls(struct st_sarif *sarif, const struct st_calls *calls);

/* {"frames": [...]}, with a message unless that is NULL. */
void st_sarif_stack(struct st_sarif *sarif, const struct st_place *place, const char *message);

#endif
