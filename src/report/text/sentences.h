/* Sentences of the text report: written first, and then broken into lines.
 *
 *     struct st_text_buffer buffer;
 *     struct st_text sentence = st_sentence_start(text, &buffer);
 *     st_say(&sentence, "%t may come in between.", thread);
 *     st_sentence_end(text, &buffer);
 */
#ifndef SERIATIM_REPORT_TEXT_SENTENCES_H
#define SERIATIM_REPORT_TEXT_SENTENCES_H

#include "report/text_buffer.h"
#include "report/text/text_writer.h"

struct st_text st_sentence_start(const struct st_text *text, struct st_text_buffer *buffer);

/* Below a headline, and indented. */
void st_sentence_end(const struct st_text *text, struct st_text_buffer *buffer);

/* One line, which can be found with grep, unless a terminal is too narrow for it. */
void st_headline_end(const struct st_text *text, struct st_text_buffer *buffer);

/* Writes a text word by word, from a column of a line that was begun; the lines that follow begin
 * with `indent`. None is wider than `width` columns unless a single word is. With a width of 0
 * there is one line. */
void st_put_wrapped(FILE *file, const char *text, size_t column, const char *indent, size_t width);

#endif
