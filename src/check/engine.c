#include "check/engine.h"

#include <string.h>

extern const struct st_engine st_witness, st_velodrome, st_aerodrome, st_regiontrack,
    st_doublechecker;

const struct st_engine *const st_engines[] = {
    &st_witness, &st_velodrome, &st_aerodrome, &st_regiontrack, &st_doublechecker, NULL,
};

const struct st_engine *st_engine_find(const char *name) {
    for (const struct st_engine *const *engine = st_engines; *engine; engine++)
        if (strcmp((*engine)->name, name) == 0)
            return *engine;
    return NULL;
}
