/* Source files: the lines that a report quotes, and excerpts for the page.
 *
 * A location says "src/bank.c:21", relative to the current folder or absolute. Such names come from
 * traces and results, which may come from anywhere, and a report is passed on: nothing but a
 * regular file with the name of a source file is opened, none that is huge, and none that is no
 * text. A symbolic link is followed to a file with such a name only. What is newer than the program
 * that ran is not quoted, since its lines are others. */
#ifndef SERIATIM_REPORT_SOURCE_SOURCE_H
#define SERIATIM_REPORT_SOURCE_SOURCE_H

#include "base/json.h"
#include "report/report.h"

/* ---- Files ---- */

/* No source that was written by hand is larger, so none has more lines either. */
enum { ST_LARGEST_SOURCE = 16 << 20 };

enum st_source_outcome {
    ST_SOURCE_READ,
    ST_SOURCE_NOT_THERE, /* or not to be opened */
    ST_SOURCE_NEWER,     /* than what ran */
};

/* Reads the file: *text gets *size bytes and a zero behind them, to be released with free(), if the
 * result is ST_SOURCE_READ, and NULL otherwise. `folder` is where relative paths start, NULL for
 * the current one; `built` says when what ran was built, 0 when that is not known. */
enum st_source_outcome st_source_read(const char *folder, const char *path, time_t built,
                                      char **text, size_t *size);

/* The whole path of the file, without symbolic links, or NULL. Release with free(). */
char *st_whole_path(const char *folder, const char *path);

/* "a.c:21" and "a.c:21:5" are line 21 of a.c: returns the length of the file's name and sets the
 * line. 0 when the text is no such thing. */
size_t st_split_location(const char *text, uint32_t *line);

/* ---- Lines ---- */

struct st_sources;

/* `folder` and `built` as above. The folder must outlive the sources. */
struct st_sources *st_sources_new(const char *folder, time_t built);
void st_sources_free(struct st_sources *sources);

/* The line without the blanks around it, as the file has it: see report/text/glyphs.h. False when
 * there is nothing to quote. Valid until the sources are freed. */
bool st_source_line(struct st_sources *sources, const char *location, const char **line,
                    size_t *length);

/* How many lines from line `first` of its file on, and before it, have the same text as this one.
 */
size_t st_source_repeats(struct st_sources *sources, const char *location, uint32_t first);

/* How many files were asked for that are newer than what ran, and the first of them. */
size_t st_sources_newer(const struct st_sources *sources, const char **first);

/* ---- Excerpts (excerpts.c) ---- */

/* The lines around those that the report is about:
 *     {"editor_url": "vscode://file{file}:{line}",
 *      "files": [{"path": "a.c", "full": "/home/me/a.c",
 *                 "parts": [{"first": 21, "lines": ["...", ...]}, ...]}, ...],
 *      "left_out": 0}
 * Files that are not there are left out; those that are newer than what ran have "newer": true and
 * no parts. Whole paths are for editors only: without an address for them there are none. So many
 * files were left out in the end because all together were too large. */
void st_excerpts_json(const struct st_report *report, struct st_json *json);

#endif
