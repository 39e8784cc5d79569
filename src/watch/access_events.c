/* Accesses: from addresses to variables, now and late. */
#include "watch/translator_state.h"

#include "base/memory.h"

static void visit(void *context, uint32_t variable, bool write) {
    struct st_translator *t = context;
    t->visits++;
    put_event(t,
              (struct st_event){.thread = t->touching,
                                .target = variable,
                                .loc = t->touching_loc,
                                .written = write ? ST_WRITE : ST_READ,
                                .atomic = t->touching_atomic,
                                .joined = t->touching_atomic && t->joining,
                                .op = t->touching_op[write]},
              t->touching_at);
    t->joining = true;
}

void st_translate_parted(void *context, uint32_t from, uint32_t to) {
    struct st_translator *t = context;
    put_event(
        t,
        (struct st_event){
            .thread = t->touching, .target = to, .loc = from, .written = ST_READ, .op = ST_SPLIT},
        t->touching_at);
}

void st_translate_range(struct st_translator *t, const struct thread *thread, uint64_t address,
                        uint64_t length, bool write, bool atomic, uint64_t loc) {
    t->touching = thread->number;
    t->touching_loc = loc;
    t->touching_at = thread->at;
    t->touching_atomic = atomic;
    t->touching_op[false] = ST_READ;
    t->touching_op[true] = ST_WRITE;
    uint64_t before = t->visits;
    st_variables_touch(&t->variables, address, length, write, visit, t);
    /* It is one access: what it learned from the last variable, it knows at the first. Traces have
     * the short ones so, in which nobody can see an order; the long ones take too much room. */
    if (t->visits > before + 1 && (t->options.dead_before || length <= 16))
        st_variables_touch(&t->variables, address, length, write, visit, t);
}

void st_translate_start(struct st_translator *t, uint32_t number, uint64_t at) {
    st_reserve(&t->began, &t->began_capacity, (size_t)number + 1);
    if (t->began[number])
        return;
    t->began[number] = true;
    put_event(t,
              (struct st_event){
                  .thread = number, .target = ST_NO_NAME, .written = ST_READ, .op = ST_UNMARKED},
              at);
}

/* Where and how a late access happened, as far as that is known. */
static uint64_t late_loc(struct st_translator *t, uint32_t number, uint64_t at, uint32_t low_pc) {
    const struct thread *thread = t->threads[number];
    struct st_context_moment moment = {0};
    if (thread)
        moment = st_moments_find(&thread->moments, at);
    uint64_t function = moment.call ? st_call(&t->sites, moment.call).function : 0;
    uint64_t pc = low_pc ? st_places_complete(t->places, low_pc, function) : 0;
    if (!pc)
        pc = function;
    st_context context = st_context_of(moment.call, moment.held);
    return ST_LOC_NAME | st_sites_number(&t->sites, pc, context);
}

void st_translate_late(struct st_translator *t, const struct st_stream_record *record, bool write) {
    uint64_t at = record->argument >> 16, granule = st_stream_address(record);
    uint32_t number = st_slots_thread(&t->slots, record->argument & 0xffff, at);
    if (number == ST_NO_SLOT)
        return; /* it matters no longer */
    st_translate_start(t, number, at);
    t->touching = number;
    t->touching_loc = late_loc(t, number, at, (uint32_t)record[1].argument);
    t->touching_at = at;
    t->touching_atomic = false;
    t->touching_op[false] = ST_DEFERRED_READ;
    t->touching_op[true] = ST_DEFERRED_WRITE;
    for (unsigned bytes = st_stream_aux(record), from = 0; bytes >> from;) {
        unsigned length = 0;
        while (bytes >> (from + length) & 1)
            length++;
        if (length)
            st_variables_touch(&t->variables, granule + from, length, write, visit, t);
        from += length + 1;
    }
}
