/* Memory that the program hands out itself, in parts of what it got at once: slabs, pools, arenas.
 *
 * The program is told which functions do that, and says what they return. This only makes names:
 * the memory is not new, and nothing that happened to it is forgotten. */
#define _GNU_SOURCE
#include "watch/translator_state.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- what the program is told ---- */

static void copy_steps(const struct st_kept_value *value, struct st_stream_handing *site) {
    _Static_assert((int)ST_KEPT_STEPS == ST_STREAM_MOST_STEPS, "as many steps");
    _Static_assert((int)ST_KEPT_NARROW == ST_STEP_NARROW, "the same operations");
    site->step_count = (uint16_t)value->count;
    for (unsigned i = 0; i < value->count; i++) {
        const struct st_kept_step *step = &value->steps[i];
        site->steps[i] = (struct st_stream_step){.operation = (uint8_t)step->operation,
                                                 .to = (uint8_t)step->to,
                                                 .a = (uint8_t)step->a,
                                                 .b = (uint8_t)step->b,
                                                 .shift = (uint8_t)step->shift,
                                                 .number = (int32_t)step->number};
    }
}

static void tell_program(void *context, const struct st_hand_out *found) {
    struct st_stream_head *head = ((struct st_translator *)context)->head;
    uint32_t count = atomic_load(&head->handing_count);
    if (count >= ST_STREAM_HANDING_SITES)
        return;
    struct st_stream_handing *site = &head->handing[count];
    site->site = found->site;
    site->size = found->size;
    site->enters = found->enters;
    site->bytes = (uint8_t)found->bytes;
    copy_steps(&found->kept, site);
    atomic_store(&head->handing_count, count + 1);
}

void st_translate_module_read(struct st_translator *t, bool known) {
    struct st_stream_head *head = t->head;
    if (!head || !head->names_modules)
        return;
    if (known)
        st_places_hand_outs(t->places, tell_program, t);
    atomic_fetch_add(&head->modules_read, 1);
    syscall(SYS_futex, &head->modules_read, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- what it says ---- */

struct hand_out {
    struct st_translator *t;
    uint64_t address, call;
};

static bool is_part(void *context, uint32_t origin) {
    const struct st_translator *t = ((struct hand_out *)context)->t;
    return origin && origin < t->origin_capacity && t->origin_facts[origin].part;
}

/* A variable that was there before. It keeps its name if the same call has got it again. */
static enum st_known judge(void *context, uint32_t variable) {
    struct hand_out *new = context;
    struct st_translator *t = new->t;
    struct st_data_place place = st_variables_place_of(&t->variables, variable);
    if (st_bits_has(&t->used_by_several, variable))
        return ST_KNOWN_KEEPS;
    if (!is_part(context, place.origin))
        return ST_KNOWN_RENEWED;
    if (t->origins.list[place.origin - 1].a == new->call &&
        place.address - place.offset == new->address)
        return ST_KNOWN_KEEPS;
    st_bits_add(&t->used_by_several, variable);
    return ST_KNOWN_WHOLE;
}

void st_translate_hand_out(struct st_translator *t, const struct thread *thread,
                           const struct st_stream_record *record) {
    uint64_t length = record[1].argument;
    struct hand_out new = {t, st_stream_address(record), st_translate_namer(t, thread, record)};
    if (!length)
        length = st_places_assigned_size(t->places, new.call, record->argument);
    struct st_hand_out_rules rules = {is_part, judge, &new};
    t->access.thread = thread->number; /* of events that say which variables come from others */
    t->access.at = thread->at;
    uint32_t origin = st_translate_origin(t, record, new.call, length);
    if (st_variables_hand_out(&t->variables, new.address, length, origin, &rules))
        t->origin_facts[origin].part = true;
}
