/* Source files, for those who quote from them.
 *
 * Their names come from traces and results, which may come from anywhere, and a report is passed
 * on: nothing but a regular file with the name of a source file is opened, none that is huge, and
 * none that is no text. */
#ifndef SERIATIM_REPORT_SOURCE_SOURCE_FILE_H
#define SERIATIM_REPORT_SOURCE_SOURCE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* No source that was written by hand is larger, so none has more lines either. */
enum { ST_LARGEST_SOURCE = 16 << 20 };

enum st_source_fate {
    ST_SOURCE_READ,
    ST_SOURCE_NOT_THERE, /* or not to be opened */
    ST_SOURCE_NEWER,     /* than what ran, so its lines are others */
};

/* Reads the file: *text gets *size bytes and a zero behind them, to be released with free(), if the
 * result is ST_SOURCE_READ, and NULL otherwise. `folder` is where relative paths start, NULL for
 * the current one; `built` says when what ran was built, 0 when that is not known. */
enum st_source_fate st_source_read(const char *folder, const char *path, time_t built, char **text,
                                   size_t *size);

/* "a.c:21" and "a.c:21:5" are line 21 of a.c: returns the length of the file's name and sets the
 * line. 0 when the text is no such thing. */
size_t st_split_location(const char *text, uint32_t *line);

#endif
