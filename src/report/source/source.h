/* The lines of source code that a report quotes.
 *
 * A location says "src/bank.c:21", relative to the current folder or absolute. The line is quoted
 * only when there is such a file (report/source/source_file.h), it is no newer than what ran, and
 * it has that line. */
#ifndef SERIATIM_REPORT_SOURCE_SOURCE_H
#define SERIATIM_REPORT_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct st_sources;

/* `built`: when what ran was built; 0 when that is not known. `folder`: where relative locations
 * start; NULL for the current one. It must outlive the sources. */
struct st_sources *st_sources_new(const char *folder, time_t built);
void st_sources_free(struct st_sources *sources);

/* The line without the blanks around it, as the file has it: see report/text/glyphs.h. False when
 * there is nothing to quote. Valid until the sources are freed. */
bool st_source_line(struct st_sources *sources, const char *location, const char **line,
                    size_t *length);

/* How many files were asked for that are newer than what ran, and the first of them. */
size_t st_sources_newer(const struct st_sources *sources, const char **first);

#endif
