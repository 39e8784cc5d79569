/* What the fuzzers of both trace readers share: read bytes, and compare two readings.
 *
 * A reader must not crash, and more: what it gives must not depend on how the bytes arrive, must
 * keep the promises of event.h, and must survive writing and reading again. */
#ifndef SERIATIM_FUZZ_H
#define SERIATIM_FUZZ_H

#include "trace/format.h"

/* What reading some bytes gave; `failed` with an error. */
struct reading {
    struct st_symbols symbols;
    struct st_event *events;
    size_t count, capacity;
    struct st_error error;
    bool failed, truncated;
};

/* Reads all of the bytes. They arrive as from a pipe, in a buffer that starts with `capacity`
 * bytes, and leave in batches of `batch` events. */
struct reading fuzz_read(const struct st_format *format, const uint8_t *data, size_t size,
                         size_t capacity, size_t batch);
void fuzz_free(struct reading *reading);

/* An input with these bytes. */
struct st_input fuzz_open(const uint8_t *data, size_t size);

/* The same as `check` reads: with ends of lives, and with packed names. */
struct reading fuzz_read_lives(const struct st_format *format, const uint8_t *data, size_t size);

/* These stop the fuzzer when a promise is broken. */
void fuzz_check_same(const struct reading *one, const struct reading *other);
void fuzz_check_lives(const struct reading *plain, const struct reading *lives);
void fuzz_check_promises(struct reading *reading);
void fuzz_check_writing(const struct reading *reading, const struct st_writer_format *writer,
                        const struct st_format *format);

#endif
