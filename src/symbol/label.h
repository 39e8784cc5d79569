/* A text of limited length that is put together piece by piece. What does not fit is left out and
 * replaced by "..." at the end: names in damaged files can be of any length. */
#ifndef SERIATIM_SYMBOL_LABEL_H
#define SERIATIM_SYMBOL_LABEL_H

#include <stdbool.h>
#include <stddef.h>

/* Always terminated. Invariant: length < sizeof bytes. */
struct st_label {
    size_t length;
    bool full;
    char bytes[1024];
};

void st_label_clear(struct st_label *text);

/* Bytes below 0x20 become '?': the text may end on a terminal. */
void st_label_add(struct st_label *text, const char *bytes, size_t length);
void st_label_adds(struct st_label *text, const char *string);
void st_label_addf(struct st_label *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Takes back what was added since the text had that length. */
void st_label_truncate(struct st_label *text, size_t length);
bool st_label_ends_with(const struct st_label *text, const char *string);

#endif
