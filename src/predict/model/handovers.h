/* Hand-overs: signals that are given once, so that whoever takes them comes after the giver in
 * every schedule. A promise that is kept, a semaphore that is posted once, a flag that goes up.
 *
 *  - A *channel* for signals (trace/channels.h) is one if one thread, the giver, sends to it once,
 *    before anybody receives. Who receives takes the signal, unless other threads than the giver
 *    and the receiver itself send to the channel, too: then theirs could have let it in. So could
 *    what it has sent itself, before. A receive next to an acquire in the same line is the end of a
 *    wait for a condition, which may end for other reasons, and then the channel is none.
 *  - A *variable* is one if it is written once, and a thread waits for it in a loop: a read,
 * directly followed by a receive, in the same line, from a channel to which nobody ever sends. (A
 *    recording has such a receive where the flag went up before anybody was seen to wait for it.)
 *
 * What follows the taking comes after the giving. Both are accesses, a write and a read, that
 * matter like others: a path may leave a block by the one and come in by the other. Those of a
 * channel are accesses to a variable of the model's own. They come in this order in every schedule:
 * who waits is not there before. A flag is read again and again, so the read may come first, and a
 * schedule may end there. (docs/predict-engines.md, "Hand-overs", has the proof that nothing is
 * missed.) */
#ifndef SERIATIM_PREDICT_MODEL_HANDOVERS_H
#define SERIATIM_PREDICT_MODEL_HANDOVERS_H

#include "base/bits.h"
#include "base/map64.h"
#include "predict/model/channel_uses.h"
#include "trace/channels.h"
#include "trace/event.h"

struct st_handover_channel {
    uint32_t giver; /* plus 1: who sent first */
    uint32_t other; /* plus 1: another thread that sends; UINT32_MAX: several do */
    uint32_t flag;  /* plus 1: the variable that was read directly before each receive */
    bool broken;    /* it is no hand-over as a channel */
    bool no_look;   /* some receive does not directly follow a read of that variable */
};

/* What a thread has just done. */
struct st_handover_thread {
    uint32_t looked;   /* the variable that it read atomically, plus 1; 0: something else */
    bool acquired;     /* a lock */
    uint32_t received; /* the channel that it received from, plus 1; 0: something else */
    uint64_t loc;      /* where */
};

enum st_handover_role { ST_NO_HANDOVER, ST_GIVES, ST_TAKES };

struct st_handovers {
    const struct st_channels *kinds; /* what names say of channels; NULL: they are signals */
    struct st_handover_channel *channels;
    size_t count, capacity;
    struct st_handover_thread *threads;
    size_t thread_capacity;
    struct st_bits written, written_again; /* variables */
    struct st_map64 flags;                 /* variables that are hand-overs, by number */
    uint32_t *channel_of_flag;
    size_t flag_capacity;
    size_t known; /* so many are hand-overs; 0 before st_handovers_finish */
};

void st_handovers_init(struct st_handovers *handovers, const struct st_channels *kinds);
void st_handovers_free(struct st_handovers *handovers);

/* Takes all events of the trace, in order. Then st_handovers_finish: what is a barrier, or
 * initialises something once, is no hand-over. */
void st_handovers_event(struct st_handovers *handovers, const struct st_event *event);
void st_handovers_finish(struct st_handovers *handovers, const struct st_barriers *barriers,
                         const struct st_onces *onces);

/* What the event does with a hand-over, and the number of the channel that stands for it. */
enum st_handover_role st_handover_role(const struct st_handovers *handovers,
                                       const struct st_event *event, uint32_t *channel);

/* Does the channel stand for one that is a variable? */
static inline bool st_handover_has_flag(const struct st_handovers *handovers, uint32_t channel) {
    return handovers->channels[channel].flag;
}

/* Does the channel stand for a hand-over? */
bool st_is_handover(const struct st_handovers *handovers, uint32_t channel);

#endif
