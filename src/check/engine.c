#include "check/engine.h"

#include <string.h>

/* A new engine is a file of its own, and a word in one of these lists. */
#define ENGINES(each)                                                                              \
    each(witness) each(velodrome) each(aerodrome) each(regiontrack) each(doublechecker)
#define OTHER_ENGINES(each)                                                                        \
    each(regiontrack_trace) each(aerodrome_basic) each(aerodrome_reads) each(regiontrack_printed)  \
        each(velodrome_rapid)

#define DECLARE(name) extern const struct st_engine st_##name;
#define ADDRESS(name) &st_##name,

ENGINES(DECLARE)
OTHER_ENGINES(DECLARE)

const struct st_engine *const st_engines[] = {ENGINES(ADDRESS) NULL};
const struct st_engine *const st_other_engines[] = {OTHER_ENGINES(ADDRESS) NULL};

static const struct st_engine *find(const struct st_engine *const *engines, const char *name) {
    while (*engines && strcmp((*engines)->name, name) != 0)
        engines++;
    return *engines;
}

const struct st_engine *st_engine_find(const char *name) {
    const struct st_engine *engine = find(st_engines, name);
    if (!engine)
        engine = find(st_other_engines, name);
    return engine || strcmp(st_empty.name, name) != 0 ? engine : &st_empty;
}
