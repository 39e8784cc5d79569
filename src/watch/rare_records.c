/* Records that are rare: threads, memory that comes and goes, modules and names. What only calls
 * another file is here, too, to keep the loop over all records short. */
#include "watch/translator_state.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void on_thread_event(struct st_translator *t, struct thread *thread,
                            const struct st_stream_record *record, enum st_op op) {
    uint32_t other = st_translate_thread_number(t, (uint32_t)st_stream_address(record));
    emit(t, thread, op, other, loc_at(t, thread, record->argument));
}

static void on_slot(struct st_translator *t, struct thread *thread,
                    const struct st_stream_record *record) {
    uint64_t slot = st_stream_address(record);
    if (!t->options.dead_before || thread->slot != ST_SLOT_NONE || slot >= ST_STREAM_SLOTS)
        return;
    thread->slot = (uint32_t)slot;
    thread->first_epoch = record->argument;
    thread->at += thread->first_epoch;
    st_past_keep(&thread->past);
    st_slots_take(&t->slots, thread->slot, thread->number, thread->first_epoch);
}

static void on_allocate(struct st_translator *t, struct thread *thread,
                        const struct st_stream_record *record) {
    st_translate_allocate(t, thread, record);
    if (!st_places_is_java(t->places, record->argument)) /* they come to be known later */
        st_translate_fresh(t, thread, record);
}

static void on_free(struct st_translator *t, const struct st_stream_record *record) {
    st_translate_not_fresh(t, record);
    st_variables_forget(&t->variables, st_stream_address(record), record[1].argument);
    st_objects_forget(&t->locks, st_stream_address(record), record[1].argument);
    st_objects_forget(&t->channels, st_stream_address(record), record[1].argument);
    st_objects_forget(&t->shared, st_stream_address(record), record[1].argument);
    st_objects_forget(&t->words, st_stream_address(record), record[1].argument);
}

/* The text behind its record, in memory to be freed; NULL if it is none. */
static char *copy_text(const struct st_stream_record *record) {
    uint64_t length = st_stream_address(record);
    if (st_stream_op(record) != ST_STREAM_TEXT || length > ST_LONGEST_TEXT)
        return NULL;
    char *text = st_alloc(length + 1, 1);
    memcpy(text, record + 1, length);
    return text;
}

static void on_text(struct st_translator *t, const struct st_stream_record *record) {
    char *text = copy_text(record);
    if (!text) {
        t->facts.garbage++;
        return;
    }
    uint32_t number = st_map64_number(&t->texts, record->argument);
    st_reserve(&t->text_blocks, &t->text_capacity, (size_t)number + 1);
    if (*text) /* a block without a name has none */
        t->text_blocks[number] = 1 + st_names_add(&t->symbols.blocks, text, strlen(text));
    free(text);
}

static void on_thread_name(struct st_translator *t, const struct st_stream_record *record) {
    char *name = copy_text(record + 1);
    if (name)
        st_thread_words_set(&t->symbols.given,
                            st_translate_thread_number(t, (uint32_t)st_stream_address(record)),
                            name);
    else
        t->facts.garbage++;
    free(name);
}

static void on_module(struct st_translator *t, const struct st_stream_record *record) {
    t->module_came = true;
    char *path = st_stream_op(&record[1]) == ST_STREAM_LENGTH ? copy_text(record + 2) : NULL;
    if (path)
        st_places_add_module(t->places, path, st_stream_address(record), record[1].argument,
                             record->argument);
    else
        t->facts.garbage++;
    st_translate_module_read(t, path != NULL);
    free(path);
}

/* Is it about memory that a program can have? */
static bool has_range(struct st_translator *t, const struct st_stream_record *record) {
    bool has = is_range(record, USER_ADDRESSES);
    t->facts.garbage += !has;
    return has;
}

void st_translate_rare(struct st_translator *t, struct thread *thread,
                       const struct st_stream_record *record) {
    switch (st_stream_op(record)) {
    case ST_STREAM_BEGIN:
        st_translate_begin(t, thread, record);
        break;
    case ST_STREAM_END:
        st_translate_passed(t, thread, record->argument);
        st_translate_leave(t, thread, true);
        break;
    case ST_STREAM_AT:
        st_translate_passed(t, thread, record->argument);
        break;
    case ST_STREAM_BOARDED:
        if (st_stream_op(&record[1]) == ST_STREAM_BOARDED_AT)
            st_translate_boarded(t, thread, record);
        else
            t->facts.garbage++;
        break;
    case ST_STREAM_SPLIT:
        if (!record->argument || !st_places_is_library(t->places, record->argument))
            st_translate_split(t, thread, st_stream_aux(record));
        break;
    case ST_STREAM_SKIPPED:
        thread->turns.skipped = true;
        break;
    case ST_STREAM_FUTEX_WAIT:
    case ST_STREAM_FUTEX_WAKE:
    case ST_STREAM_FUTEX_WOKEN:
        st_fresh_release(&thread->fresh);
        st_translate_futex(t, thread, record);
        break;
    case ST_STREAM_SEND:
        st_fresh_release(&thread->fresh);
        step(t, thread, record->argument);
        st_translate_channel(t, thread, record, ST_SEND);
        break;
    case ST_STREAM_RECEIVE:
        step(t, thread, record->argument);
        st_translate_channel(t, thread, record, ST_RECEIVE);
        break;
    case ST_STREAM_SEMAPHORE_MADE:
        st_translate_semaphore(t, record);
        break;
    case ST_STREAM_FORK:
        st_fresh_release(&thread->fresh);
        step(t, thread, record->argument);
        on_thread_event(t, thread, record, ST_FORK);
        break;
    case ST_STREAM_JOIN:
        step(t, thread, record->argument);
        on_thread_event(t, thread, record, ST_JOIN);
        break;
    case ST_STREAM_SLOT:
        on_slot(t, thread, record);
        break;
    case ST_STREAM_ALLOCATE:
    case ST_STREAM_ALLOCATE_QUIETLY:
        if (has_range(t, record))
            on_allocate(t, thread, record);
        break;
    case ST_STREAM_HANDED_OUT:
        if (has_range(t, record))
            st_translate_hand_out(t, thread, record);
        break;
    case ST_STREAM_FRAME:
        if (has_range(t, record))
            st_translate_frame(t, record);
        break;
    case ST_STREAM_THREAD_NAME:
        on_thread_name(t, record);
        break;
    case ST_STREAM_FREE:
        if (has_range(t, record))
            on_free(t, record);
        break;
    case ST_STREAM_TEXT:
        on_text(t, record);
        break;
    case ST_STREAM_MODULE:
        on_module(t, record);
        break;
    default:
        t->facts.garbage++;
    }
}
