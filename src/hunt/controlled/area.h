/* The control area (stream/control.h) of a run, as a file that both sides map.
 *
 * What a program left there is not trusted: st_area_log gives counts that are within the tables. */
#ifndef SERIATIM_HUNT_CONTROLLED_AREA_H
#define SERIATIM_HUNT_CONTROLLED_AREA_H

#include "base/error.h"
#include "stream/control.h"

#include <stdbool.h>
#include <stddef.h>

struct st_area {
    struct st_control_area *map;
    char *path;
};

/* Makes the file, empty but for its head. Release with st_area_free, which removes the file. */
int st_area_create(struct st_area *area, const char *path, struct st_error *error);
void st_area_free(struct st_area *area);

/* The log, when nobody writes to it any more. Counts and kinds that make no sense are corrected in
 * place, so that everything in it may be used as an index. */
const struct st_control_log *st_area_log(struct st_area *area);

/* Does it have all points of the run? */
bool st_log_is_complete(const struct st_control_log *log);

/* ---- sets of sites ---- */

/* Invariant: `table` has ST_CONTROL_SITES places (st_control_slot) and at most half of them are
 * taken. */
struct st_site_set {
    uint64_t *table;
    uint32_t count;
};

void st_site_set_init(struct st_site_set *set);
void st_site_set_free(struct st_site_set *set);
bool st_site_set_has(const struct st_site_set *set, uint64_t site);
void st_site_set_add(struct st_site_set *set, uint64_t site); /* nothing when there is no room */

/* Those of a table of a log or a plan. */
void st_site_set_add_all(struct st_site_set *set, const uint64_t *table);

/* Into a plan. */
void st_plan_sites(struct st_control_plan *plan, const struct st_site_set *set);

/* What a thread is called in reports: as the translator names them. `thread` is an index. */
enum { ST_THREAD_NAME = 24 };
void st_control_thread_name(uint32_t thread, char name[ST_THREAD_NAME]);

/* The index of the thread with this name in the log; UINT32_MAX: none. */
uint32_t st_control_find_thread(const struct st_control_log *log, uint64_t name);

#endif
