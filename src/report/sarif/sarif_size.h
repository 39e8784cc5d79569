/* How large a SARIF file will be after compression: GitHub takes 10 MB, packed with gzip.
 *
 * It is measured with zstd, which seriatim has anyway, in windows as small as those of gzip. On
 * what we write, with short, long and random names, that gave 0.89 to 1.0 of the size that gzip -6
 * gives. */
#ifndef SERIATIM_REPORT_SARIF_SARIF_SIZE_H
#define SERIATIM_REPORT_SARIF_SARIF_SIZE_H

#include <stdint.h>
#include <stdio.h>

struct st_sarif_size;

/* A file that passes on to another what is written to it, and measures that. The other
 * stays open when this one is closed. */
FILE *st_sarif_measure(FILE *file, struct st_sarif_size **size);

/* Bytes after compression, of all but the last 100 or so kilobytes that were flushed. */
uint64_t st_sarif_packed(const struct st_sarif_size *size);

/* After the file was closed. */
void st_sarif_size_free(struct st_sarif_size *size);

#endif
