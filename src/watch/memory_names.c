/* Names for memory that has no symbol: what was allocated, and local variables of functions that
 * were open when their thread started another. */
#include "watch/translator_state.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the address of an origin: it is a function, and the memory is its frame. */
#define FRAME_OF (UINT64_C(1) << 63)

/* ---- where memory comes from ---- */

/* Nobody waits for a library that calls itself for ever. */
enum { MOST_CALLS = 64 };

/* Is the call made by a function of the user's that does not only hand out memory? */
static bool names_memory(struct st_translator *t, uint64_t pc) {
    uint32_t number = st_map64_number(&t->allocating, pc);
    st_reserve(&t->allocators, &t->allocator_capacity, (size_t)number + 1);
    if (t->allocators[number] == NOT_ASKED)
        t->allocators[number] =
            !st_places_is_library(t->places, pc) && st_places_names_memory(t->places, pc) ? USER
                                                                                          : LIBRARY;
    return t->allocators[number] == USER;
}

static bool is_in(struct st_translator *t, uint64_t pc, uint64_t function) {
    struct st_code a = st_places_function(t->places, pc),
                   b = st_places_function(t->places, function);
    return strcmp(a.function, b.function) == 0;
}

/* The innermost call that the memory should be named after, from the one that got it outwards. */
static uint64_t find_call(struct st_translator *t, const struct thread *thread,
                          const struct st_stream_record *record) {
    uint64_t pc = record->argument;
    if (names_memory(t, pc))
        return pc;
    unsigned callers = st_stream_aux(record);
    for (unsigned i = 0; i < callers; i++) {
        const struct st_stream_record *caller = &record[2 + i];
        uint64_t from = st_stream_address(caller);
        if (st_stream_op(caller) != ST_STREAM_CALLER)
            break;
        /* A library without instrumentation, called by this function: where is not known. */
        if (i == 0 && caller->argument && !is_in(t, pc, caller->argument) &&
            names_memory(t, caller->argument))
            return caller->argument;
        if (from && names_memory(t, from))
            return from;
    }
    uint32_t call = call_of(thread);
    for (int i = 0; call && i < MOST_CALLS; i++) {
        struct st_call around = st_call(&t->sites, call);
        if (around.called_from && names_memory(t, around.called_from))
            return around.called_from;
        call = around.caller;
    }
    return st_translate_user_call(t, thread, pc);
}

void st_translate_allocate(struct st_translator *t, const struct thread *thread,
                           const struct st_stream_record *record) {
    uint64_t length = record[1].argument;
    uint32_t origin = st_pairs_number(&t->origins, find_call(t, thread, record), length);
    st_reserve(&t->origin_facts, &t->origin_capacity, (size_t)origin + 1);
    if (!t->origin_facts[origin].inner)
        t->origin_facts[origin].inner = record->argument;
    st_variables_allocate(&t->variables, st_stream_address(record), length, origin);
}

void st_translate_frame(struct st_translator *t, const struct st_stream_record *record) {
    uint64_t length = record[1].argument;
    st_variables_allocate(&t->variables, st_stream_address(record), length,
                          st_pairs_number(&t->origins, record->argument | FRAME_OF, length));
}

/* ---- names ---- */

/* "item->refcount from bank.c:12 (main)" */
static bool add_typed(struct st_translator *t, uint32_t number, uint64_t offset, char *buffer,
                      size_t size) {
    struct st_pair origin = t->origins.list[number - 1];
    if (number >= t->origin_capacity)
        return false;
    return st_places_heap(t->places, origin.a, t->origin_facts[number].inner, origin.b, offset,
                          buffer, size);
}

static void name_allocated(struct st_translator *t, struct st_data_place place, char *buffer,
                           size_t size) {
    struct st_pair origin = t->origins.list[place.origin - 1];
    char name[ST_LONGEST_NAME / 2];
    struct st_code code;
    bool typed = add_typed(t, place.origin, place.offset, name, sizeof name);
    const char *where = st_places_memory_line(t->places, origin.a, &code);
    if (typed) {
        snprintf(buffer, size, "%s from %s (%s)", name, where, code.function);
        return;
    }
    int length = snprintf(buffer, size, "heap block of %" PRIu64 " byte%s from %s (%s)", origin.b,
                          origin.b == 1 ? "" : "s", where, code.function);
    if (place.offset && length > 0 && (size_t)length < size)
        snprintf(buffer + length, size - (size_t)length, "+%" PRIu64, place.offset);
}

/* "pool.jobs in main"; where compilers do not say what is there: "local variable of main+0x1c". */
static void name_local(struct st_translator *t, struct st_data_place place, char *buffer,
                       size_t size) {
    struct st_pair origin = t->origins.list[place.origin - 1];
    uint64_t function = origin.a & ~FRAME_OF;
    char name[ST_LONGEST_NAME / 2];
    const char *owner = st_places_function(t->places, function).function;
    if (st_places_local(t->places, function, origin.b, place.offset, name, sizeof name))
        snprintf(buffer, size, "%s in %s", name, owner);
    else
        snprintf(buffer, size, "local variable of %s+0x%" PRIx64, owner, place.offset);
}

void st_translate_name(struct st_translator *t, struct st_data_place place, char *buffer,
                       size_t size) {
    if (!place.origin)
        st_places_data(t->places, place.address, buffer, size);
    else if (t->origins.list[place.origin - 1].a & FRAME_OF)
        name_local(t, place, buffer, size);
    else
        name_allocated(t, place, buffer, size);
}

/* ---- threads ---- */

void st_translator_thread_name(const struct st_translator *t, uint32_t number, char *buffer,
                               size_t size) {
    st_symbols_thread_name(&t->symbols, number, buffer, size);
}
