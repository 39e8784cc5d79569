/* Questions and answers as bytes, for messages and the journal. All machines of a crew have the
 * same build, so numbers are as they are in memory. */
#ifndef SERIATIM_CLUSTER_PACKING_H
#define SERIATIM_CLUSTER_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is empty. Release with st_packed_free. */
struct st_packed {
    char *bytes;
    size_t length, capacity;
};

void st_packed_free(struct st_packed *packed);

void st_pack_raw(struct st_packed *packed, const void *bytes, size_t length);
void st_pack_number(struct st_packed *packed, uint64_t number);
void st_pack_real(struct st_packed *packed, double number);
void st_pack_bytes(struct st_packed *packed, const void *bytes, size_t length); /* and how many */
void st_pack_text(struct st_packed *packed, const char *text); /* NULL stays NULL */

/* What was packed, in the same order. Behind the end, and behind what makes no sense, everything
 * is 0 and empty, and `bad` is set. */
struct st_unpacking {
    const char *at;
    size_t left;
    bool bad;
};

struct st_unpacking st_unpack(const void *bytes, size_t length);
void st_unpack_raw(struct st_unpacking *from, void *bytes, size_t length);
uint64_t st_unpack_number(struct st_unpacking *from);
double st_unpack_real(struct st_unpacking *from);
const char *st_unpack_bytes(struct st_unpacking *from, size_t *length); /* where they are */
char *st_unpack_text(struct st_unpacking *from);                        /* release with free() */

/* A number below `end`; otherwise it is bad, and 0. */
uint64_t st_unpack_below(struct st_unpacking *from, uint64_t end);

#endif
