/* An error is a value: where it happened and why. It travels up unchanged; only cli/ prints it. */
#ifndef SERIATIM_BASE_ERROR_H
#define SERIATIM_BASE_ERROR_H

#include <stddef.h>
#include <stdint.h>

enum st_position_kind {
    ST_AT_FILE,   /* the file as a whole */
    ST_AT_LINE,   /* a line of a text file, 1-based */
    ST_AT_OFFSET, /* a byte of a binary file, 0-based */
    ST_AT_EVENT   /* an event of a trace, 1-based */
};

struct st_error {
    char file[256]; /* shortened from the left when longer; empty when no file is concerned */
    enum st_position_kind at;
    uint64_t position;
    char cause[512]; /* one sentence without a full stop, starting in lower case */
};

/* Fills the error and returns -1, so that `return st_fail(...)` reads well. `file` may be NULL. */
int st_fail(struct st_error *error, const char *file, enum st_position_kind at, uint64_t position,
            const char *cause, ...) __attribute__((format(printf, 5, 6)));

/* Writes "file:12: cause" (or the like) into buffer; always terminated. */
void st_error_text(const struct st_error *error, char *buffer, size_t size);

/* Copies up to `length` bytes of untrusted text into buffer, quoted, with everything that is not
 * printable ASCII escaped and with "..." where it was too long to show. Returns buffer. */
const char *st_quote(char *buffer, size_t size, const char *text, size_t length);

#endif
