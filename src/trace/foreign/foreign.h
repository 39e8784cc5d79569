/* Formats of other tools: RoadRunner's logs, and RAPID's CSV and binary traces.
 * docs/trace-format.md says what becomes of each of their events, and what they cannot hold. */
#ifndef SERIATIM_TRACE_FOREIGN_FOREIGN_H
#define SERIATIM_TRACE_FOREIGN_FOREIGN_H

#include "trace/format.h"

/* ---- lines of text ---- */

struct st_text_lines {
    struct st_input *input;
    uint64_t number;  /* of the last line taken */
    const char *text; /* without its end, until the next is taken */
    size_t length;
};

/* 1, 0 at the end, or -1 with an error: a zero byte, or a line without end. */
int st_text_lines_next(struct st_text_lines *lines, struct st_error *error);

/* -1 with an error about this line. */
int st_text_lines_fail(const struct st_text_lines *lines, const char *cause,
                       struct st_error *error);

/* ---- names ---- */

/* Gives the event its target; false if there are too many names. */
bool st_foreign_target(struct st_symbols *symbols, struct st_event *event, const char *text,
                       size_t length);

/* -1 with an error: the format `what` cannot hold the text. */
int st_foreign_refuse(const char *file, const char *what, const char *part, const char *text,
                      uint64_t event, struct st_error *error);

#endif
