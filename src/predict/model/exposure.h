/* Which accesses to fresh memory count?
 *
 * A recording marks accesses to memory that its thread has allocated since it last released
 * anything (watch/memory/fresh.h). Without data races nobody else can access it before the next
 * release, in any schedule. Such an access is *hidden*, and does not count. docs/predict-engines.md
 * shows that nothing is missed, with two exceptions, each of a write since the last release that
 * may have made the address known:
 *
 *  - a write to a variable on which there may be a data race: others may see it at once, while the
 *    thread goes on filling in what it has made known too early;
 *  - a write to a contended variable before the innermost block began, which the access is in. The
 *    order between that block and who finds the memory later may show in this access alone. */
#ifndef SERIATIM_PREDICT_MODEL_EXPOSURE_H
#define SERIATIM_PREDICT_MODEL_EXPOSURE_H

#include "trace/event.h"

#include <stddef.h>

struct st_exposure {
    struct st_exposing_thread *threads;
    size_t capacity;
};

void st_exposure_restart(struct st_exposure *exposure);
void st_exposure_free(struct st_exposure *exposure);

/* Takes all events of the trace, in order, with what is known of the variable of an access: may
 * there be a data race on it; is it contended? Returns whether the event is an access that is
 * hidden. */
bool st_exposure_event(struct st_exposure *exposure, const struct st_event *event, uint64_t number,
                       bool racy, bool contended);

/* Is what is hidden from the others of this thread hidden for the sake of the block that it is in?
 */
bool st_exposure_by_block(const struct st_exposure *exposure, uint32_t thread);

#endif
