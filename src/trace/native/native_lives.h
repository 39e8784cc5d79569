/* Ends of lives: GONE chunks, which say that the numbers of variables will be used again.
 *
 * Who reads the trace gets the ends and forgets the variables (st_symbols.reuses); or gets a new
 * number for each life, as if the file had given it one. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_LIVES_H
#define SERIATIM_TRACE_NATIVE_NATIVE_LIVES_H

#include "base/bits.h"
#include "trace/format.h"
#include "trace/native/native_format.h"
#include "trace/packed_names.h"

/* Invariant: unless numbers are reused, number i of the file is numbers[i], and has ended and not
 * been used since if it is in `ended`. Before the first end, the two are equal, and there is no
 * `numbers`. */
struct native_lives {
    uint32_t variables; /* names in the file so far */
    uint64_t ends;      /* of all chunks so far */
    struct st_variable_run *runs;
    size_t run_count, run_capacity; /* that end before the next event */
    bool handed_out;                /* the runs belong to events that were returned already */
    uint32_t *numbers;
    size_t number_capacity;
    struct st_bits ended;
    uint64_t renewed_bytes; /* of names that are there once more */
};

void native_lives_free(struct native_lives *lives);

/* Takes the payload of a chunk, after so many events. NULL, or what is wrong with it. */
const char *native_lives_take(struct native_lives *lives, bool reuses, const unsigned char *payload,
                              size_t size, uint64_t events);

/* So many names of variables were entered, the last ones that the symbols have. */
void native_lives_name(struct native_lives *lives, const struct st_names *names, uint32_t count);

/* Gives the accesses among these events the numbers of their lives. False: too many names. packed:
 * where the names are; NULL: in their table. */
bool native_lives_renumber(struct native_lives *lives, struct st_names *names,
                           struct st_packed_names *packed, struct st_event *events, size_t count);

#endif
