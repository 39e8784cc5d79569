#include "predict/model/exposure.h"

#include "base/memory.h"

#include <stdlib.h>

/* What a thread has done since it last released anything, and where it is. */
struct st_exposing_thread {
    bool wrote_racy;
    uint64_t first_write; /* to a contended variable: its event; 0: none */
    uint64_t *begins;     /* of the open blocks */
    size_t depth, begin_capacity;
    uint64_t part; /* the last event that may split a block: what follows is a part of its own */
};

void st_exposure_restart(struct st_exposure *exposure) {
    for (size_t i = 0; i < exposure->capacity; i++) {
        struct st_exposing_thread *thread = &exposure->threads[i];
        *thread = (struct st_exposing_thread){.begins = thread->begins,
                                              .begin_capacity = thread->begin_capacity};
    }
}

void st_exposure_free(struct st_exposure *exposure) {
    for (size_t i = 0; i < exposure->capacity; i++)
        free(exposure->threads[i].begins);
    free(exposure->threads);
}

static void release(struct st_exposing_thread *thread) {
    thread->wrote_racy = false;
    thread->first_write = 0;
}

static void write_variable(struct st_exposing_thread *thread, uint64_t number, bool racy,
                           bool contended) {
    thread->wrote_racy |= racy;
    if (contended && !thread->first_write)
        thread->first_write = number;
}

static bool is_hidden(const struct st_exposing_thread *thread) {
    if (thread->wrote_racy)
        return false;
    if (!thread->first_write)
        return true;
    return thread->depth && thread->first_write > thread->begins[thread->depth - 1] &&
           thread->first_write > thread->part;
}

bool st_exposure_event(struct st_exposure *exposure, const struct st_event *event, uint64_t number,
                       bool racy, bool contended) {
    st_reserve(&exposure->threads, &exposure->capacity, (size_t)event->thread + 1);
    struct st_exposing_thread *thread = &exposure->threads[event->thread];
    switch (event->op) {
    case ST_READ:
        return event->fresh && is_hidden(thread);
    case ST_WRITE:
        if (event->fresh)
            return is_hidden(thread);
        if (event->atomic)
            release(thread);
        else
            write_variable(thread, number, racy, contended);
        break;
    case ST_RELEASE:
    case ST_SEND:
    case ST_FORK:
        release(thread);
        break;
    case ST_JOIN:
    case ST_RECEIVE:
        thread->part = number;
        break;
    case ST_BEGIN:
        st_reserve(&thread->begins, &thread->begin_capacity, thread->depth + 1);
        thread->begins[thread->depth++] = number;
        break;
    case ST_END:
        thread->depth -= thread->depth > 0;
        break;
    default:
        break;
    }
    return false;
}

bool st_exposure_by_block(const struct st_exposure *exposure, uint32_t thread) {
    return exposure->threads[thread].first_write != 0;
}
