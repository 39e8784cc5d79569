/* Critical sections as blocks: each outermost one of a thread becomes a block without a name, from
 * the acquire of its first lock to the release of its last. Blocks stay nested: a section that
 * outlasts the block that it began in ends with it, as when a program is watched.
 *
 * What is held: mutexes, and locks that are channels (docs/trace-format.md). */
#ifndef SERIATIM_SPEC_SECTIONS_H
#define SERIATIM_SPEC_SECTIONS_H

#include "base/names.h"
#include "trace/channels.h"
#include "trace/event.h"

#include <stddef.h>

struct st_sections;

/* The names of blocks tell sections that are blocks already: a recording that was made with such a
 * specification has them. Both must outlive it. */
struct st_sections *st_sections_new(const struct st_channels *channels,
                                    const struct st_names *blocks);

/* How their names begin. */
#define ST_SECTION_OF "section of "
void st_sections_free(struct st_sections *sections);

/* The next validated events of the trace, with a begin and an end around each section. Valid until
 * the next call; there is room for ST_SECTION_ROOM events behind the last. */
enum { ST_SECTION_ROOM = 64 };
struct st_event *st_sections_mark(struct st_sections *sections, const struct st_event *events,
                                  size_t count, size_t *marked);

/* How many sections there were so far, and how many events, with their begins and ends. */
uint64_t st_sections_count(const struct st_sections *sections);
uint64_t st_sections_events(const struct st_sections *sections);

#endif
