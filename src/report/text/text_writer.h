/* Where the text report is written to, and the parts from which it makes its lines. */
#ifndef SERIATIM_REPORT_TEXT_TEXT_WRITER_H
#define SERIATIM_REPORT_TEXT_TEXT_WRITER_H

#include "base/output.h"
#include "report/report.h"
#include "report/source/source.h"

/* Where the report is written to, how, and who knows more. */
struct st_text_writer {
    FILE *file;
    const struct st_symbols *symbols;
    struct st_text_style style;
    const struct st_details *details; /* or NULL */
    struct st_sources *sources;       /* or NULL: nothing is quoted */
};

/* How wide the report may be: as wide as this where nobody knows. */
enum { ST_USUAL_WIDTH = 120 };
static inline size_t st_text_width(const struct st_text_writer *text) {
    return text->style.width ? text->style.width : ST_USUAL_WIDTH;
}

/* The thread that a finding is about is at HOME, the threads that came in between are OTHER. */
enum st_paint { ST_PLAIN, ST_BOLD, ST_DIM, ST_RED, ST_GREEN, ST_HOME, ST_OTHER, ST_SOURCE };
void st_put_paint(const struct st_text_writer *text, enum st_paint paint);

/* A name from the trace. It may hold anything, and a terminal must not obey it. */
void st_put_name(const struct st_text_writer *text, const char *name);
void st_put_part(const struct st_text_writer *text, const char *name, size_t length);

void st_put_count(const struct st_text_writer *text, uint64_t count,
                  const char *noun); /* "3 events" */
void st_put_thread(const struct st_text_writer *text, uint32_t thread);

/* Says a sentence or a part of one, in which %t stands for a thread and %b for a block (uint32_t),
 * %n for a number (uint64_t) and %s for a word of ours: st_say(text, "so %b comes after %t", ...).
 */
void st_say(const struct st_text_writer *text, const char *sentence, ...);

/* "at bank.c:21"; RAPID's locations are mere numbers: "at location 21". Nothing where there is no
 * location. */
void st_put_location(const struct st_text_writer *text, uint64_t loc);

/* ---- Sentences: written first, and then broken into lines ----
 *
 *     struct st_text_buffer buffer;
 *     struct st_text_writer sentence = st_sentence_start(text, &buffer);
 *     st_say(&sentence, "%t may come in between.", thread);
 *     st_sentence_end(text, &buffer);
 */

struct st_text_writer st_sentence_start(const struct st_text_writer *text,
                                        struct st_text_buffer *buffer);

/* Below a headline, and indented. */
void st_sentence_end(const struct st_text_writer *text, struct st_text_buffer *buffer);

/* One line, which can be found with grep, unless a terminal is too narrow for it. */
void st_headline_end(const struct st_text_writer *text, struct st_text_buffer *buffer);

/* Writes a text word by word, from a column of a line that was begun; the lines that follow begin
 * with `indent`. None is wider than `width` columns unless a single word is. With a width of 0
 * there is one line. */
void st_put_wrapped(FILE *file, const char *text, size_t column, const char *indent, size_t width);

#endif
