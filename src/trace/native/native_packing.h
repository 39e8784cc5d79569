/* Columns of numbers as a chunk stores them: which encoding takes the fewest bytes, and planes (the
 * lowest byte of every number, then the next byte of every number, ...). */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_PACKING_H
#define SERIATIM_TRACE_NATIVE_NATIVE_PACKING_H

#include "trace/native/native_format.h"

/* Where columns go. Planes of a column follow those of the one before. */
struct native_packing {
    unsigned char *next;
    size_t *plane_ends; /* the next one to set: where a plane ends, behind `start` */
    const unsigned char *start;
    unsigned planes; /* so many of them were set */
};

/* Packs a column and fills in its head. What is in `numbers` is lost. */
void native_pack(struct native_packing *packing, unsigned char *head, uint32_t *numbers,
                 uint32_t count);

/* The same for numbers that may be wider than four bytes. */
void native_pack_wide(struct native_packing *packing, unsigned char *head, uint64_t *numbers,
                      uint32_t count);

#endif
