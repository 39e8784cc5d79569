/* A text of limited length that is put together piece by piece. What does not fit is left out and
 * replaced by "..." at the end: names in damaged files can be of any length. */
#ifndef SERIATIM_SYMBOL_LABEL_H
#define SERIATIM_SYMBOL_LABEL_H

#include <stdbool.h>
#include <stddef.h>

/* Always terminated. Invariant: length < sizeof bytes. */
struct st_text {
    size_t length;
    bool full;
    char bytes[1024];
};

void st_text_clear(struct st_text *text);

/* Bytes below 0x20 become '?': the text may end on a terminal. */
void st_text_add(struct st_text *text, const char *bytes, size_t length);
void st_text_adds(struct st_text *text, const char *string);
void st_text_addf(struct st_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Takes back what was added since the text had that length. */
void st_text_cut(struct st_text *text, size_t length);
bool st_text_ends_with(const struct st_text *text, const char *string);

#endif
