/* Where events come in: turns the caller's ids into dense numbers, lets the validator look at each
 * event, and turns numbers back into ids for what is handed out. */
#ifndef SERIATIM_LIBRARY_INTAKE_H
#define SERIATIM_LIBRARY_INTAKE_H

#include "base/map64.h"
#include "finding/finding.h"
#include "seriatim/seriatim.h"
#include "trace/validate.h"

/* What ids name. Each kind has numbers of its own. */
enum st_id_kind {
    ST_ID_THREAD,
    ST_ID_VARIABLE,
    ST_ID_LOCK,
    ST_ID_BLOCK,
    ST_ID_CHANNEL,
    ST_ID_KINDS
};

struct st_intake {
    struct st_validator *validator;
    struct st_repairs refused_before; /* the validator's counts, to see which one has moved */
    struct st_map64 ids[ST_ID_KINDS];
    bool *joined; /* by thread number; entries beyond the capacity are false */
    size_t joined_capacity;
    uint64_t events, refused;
    bool finished; /* all events are refused from now on */
    char error[256];
};

void st_intake_init(struct st_intake *intake);
void st_intake_free(struct st_intake *intake);
size_t st_intake_memory(const struct st_intake *intake);

/* Returns 0 and *event, which is number intake->events; or -1 with intake->error. */
int st_intake_event(struct st_intake *intake, uint64_t thread, seriatim_op op, uint64_t operand,
                    uint64_t loc, struct st_event *event);

/* The caller's id of what has this number; SERIATIM_UNNAMED for ST_NO_NAME. */
uint64_t st_intake_id(const struct st_intake *intake, enum st_id_kind kind, uint32_t number);

seriatim_place st_intake_place(const struct st_intake *intake, const struct st_place *place);
seriatim_edge st_intake_edge(const struct st_intake *intake, const struct st_edge *edge);

#endif
