/* Names for memory that has no symbol: what was allocated, and local variables of functions that
 * were open when their thread started another. */
#include "watch/translator_state.h"

#include "base/memory.h"
#include "symbol/memory/members.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the address of an origin: it is a function, and the memory is its frame. */
#define FRAME_OF (UINT64_C(1) << 63)
/* The same: it is the row of a class, and the memory is an object of a Java program. */
#define OBJECT_OF (UINT64_C(1) << 62)

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
    if (st_places_is_library(t->places, pc) != st_places_is_library(t->places, function))
        return false; /* known without debug information, which can be large */
    struct st_code a = st_places_function(t->places, pc),
                   b = st_places_function(t->places, function);
    return strcmp(a.function, b.function) == 0;
}

/* From the one that got it outwards. */
uint64_t st_translate_namer(struct st_translator *t, const struct thread *thread,
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
    for (size_t i = thread->depth; i-- > 0 && thread->depth - i <= MOST_CALLS;) {
        uint64_t from = thread->frames[i].called_from;
        if (from && names_memory(t, from))
            return from;
    }
    return st_translate_user_call(t, thread, pc);
}

uint32_t st_translate_origin(struct st_translator *t, const struct st_stream_record *record,
                             uint64_t call, uint64_t length) {
    uint32_t origin = st_pairs_number(&t->origins, call, length);
    st_reserve(&t->origin_facts, &t->origin_capacity, (size_t)origin + 1);
    if (!t->origin_facts[origin].inner)
        t->origin_facts[origin].inner = record->argument;
    return origin;
}

void st_translate_allocate(struct st_translator *t, const struct thread *thread,
                           const struct st_stream_record *record) {
    uint64_t length = record[1].argument;
    uint32_t origin;
    if (st_places_is_java(t->places, record->argument))
        origin = st_pairs_number(&t->origins, record->argument | OBJECT_OF, length);
    else
        origin = st_translate_origin(t, record, st_translate_namer(t, thread, record), length);
    st_variables_allocate(&t->variables, st_stream_address(record), length, origin);
}

static void rename_variable(void *context, uint32_t variable) {
    struct st_translator *t = context;
    char name[ST_LONGEST_NAME];
    if (variable >= t->named_variables)
        return; /* it has no name yet */
    st_translator_variable_name(t, variable, name, sizeof name);
    st_names_replace(&t->symbols.variables, variable, name, strlen(name));
}

/* A thread is about to start another, and shows it the frames of its functions. What is in them has
 * been used before. While there is no other thread, that can be forgotten, since all that follows
 * comes after it. Later, it gets a name if a recording has not written one yet. */
void st_translate_frame(struct st_translator *t, const struct st_stream_record *record) {
    uint64_t address = st_stream_address(record), length = record[1].argument;
    bool alone = t->symbols.threads.count <= 1;
    if (alone)
        st_variables_forget(&t->variables, address, length);
    st_variables_allocate(&t->variables, address, length,
                          st_pairs_number(&t->origins, record->argument | FRAME_OF, length));
    if (!alone)
        st_variables_adopt(&t->variables, address, length, t->symbols.variables.first,
                           rename_variable, t);
}

/* ---- names ---- */

/* "item->refcount from bank.c:12 (main)" */
static bool add_typed(struct st_translator *t, uint32_t number, uint64_t offset,
                      struct st_heap_array *array, char *buffer, size_t size) {
    struct st_pair origin = t->origins.list[number - 1];
    if (number >= t->origin_capacity)
        return false;
    return st_places_heap(t->places, origin.a, t->origin_facts[number].inner, origin.b, offset,
                          array, buffer, size);
}

/* Memory of which nobody knows what is in it, such as that of an allocator of the program's own. */
static bool is_untyped(struct st_translator *t, uint32_t number) {
    if (number >= t->origin_capacity || !t->origin_facts[number].inner)
        return false;
    struct st_pair origin = t->origins.list[number - 1];
    uint64_t inner = t->origin_facts[number].inner;
    if (t->origin_facts[number].type == TYPE_NOT_ASKED)
        t->origin_facts[number].type =
            st_places_is_typed(t->places, origin.a, inner, origin.b) ? TYPED : UNTYPED;
    return t->origin_facts[number].type == UNTYPED;
}

/* So many are remembered: 32 MB. */
enum { MOST_NOTED = 1 << 22, LARGEST_MEMBER = 8 };

/* Looking for a type takes a while, so that is done when the name is wanted. */
void st_translate_first_access(struct st_translator *t, uint32_t variable) {
    uint32_t origin = st_variables_place_of(&t->variables, variable).origin;
    t->noted_variables = variable + 1;
    if (!origin || origin >= t->origin_capacity || !t->origin_facts[origin].inner ||
        !t->options.sites || t->access.length > LARGEST_MEMBER || variable >= MOST_NOTED)
        return;
    st_reserve(&t->first_accesses, &t->first_access_capacity, (size_t)variable + 1);
    t->first_accesses[variable] = (struct st_first_access){
        st_site_at(&t->sites, t->access.loc).number, (uint32_t)t->access.length};
}

/* The variable, or one beside it in the same granule, of which it is known where it was first
 * accessed: they came to be together. */
static bool find_noted(const struct st_translator *t, uint32_t variable, uint32_t *noted) {
    enum { FARTHEST = 7 };
    if (variable < t->first_access_capacity && t->first_accesses[variable].size) {
        *noted = variable;
        return true;
    }
    uint64_t granule = st_variables_place_of(&t->variables, variable).address >> 3;
    uint32_t first = variable > FARTHEST ? variable - FARTHEST : 0;
    *noted = variable;
    for (uint32_t i = first; i <= variable + FARTHEST && i < t->first_access_capacity; i++)
        if (t->first_accesses[i].size &&
            st_variables_place_of(&t->variables, i).address >> 3 == granule) {
            *noted = i;
            if (i >= variable)
                break;
        }
    return *noted < t->first_access_capacity && t->first_accesses[*noted].size;
}

/* "item from slabs.c:12 (grow)"; what compilers make to initialise variables has no name of its
 * own. */
static int put_from(char *buffer, size_t size, const char *name, const char *where,
                    const struct st_code *code) {
    bool made =
        strncmp(code->function, "__", 2) == 0 || strncmp(code->function, "_GLOBAL__", 9) == 0;
    return made ? snprintf(buffer, size, "%s from %s", name, where)
                : snprintf(buffer, size, "%s from %s (%s)", name, where, code->function);
}

static void put_member(struct st_translator *t, struct st_data_place place, const char *member,
                       char *buffer, size_t size) {
    struct st_code code;
    const char *where =
        st_places_memory_line(t->places, t->origins.list[place.origin - 1].a, &code);
    put_from(buffer, size, member, where, &code);
}

static bool name_member(struct st_translator *t, uint32_t variable, char *buffer, size_t size) {
    struct st_data_place place = st_variables_place_of(&t->variables, variable);
    uint32_t noted;
    if (!place.origin || !is_untyped(t, place.origin) || !find_noted(t, variable, &noted))
        return false;
    struct st_first_access first = t->first_accesses[noted];
    int64_t shift = (int64_t)(place.address - st_variables_place_of(&t->variables, noted).address);
    const char *name =
        st_places_member(t->places, st_site(&t->sites, first.site).pc, first.size, shift);
    if (name)
        put_member(t, place, name, buffer, size);
    return name;
}

void st_translator_variable_name(struct st_translator *t, uint32_t variable, char *buffer,
                                 size_t size) {
    if (!name_member(t, variable, buffer, size))
        st_translate_name(t, st_variables_place_of(&t->variables, variable), buffer, size);
}

/* Keeps the name for the next one that differs only in its number, which begins at number_at. */
static void keep_name(struct st_translator *t, struct st_data_place place, uint64_t step,
                      size_t number_at, const char *name, size_t size) {
    if (place.origin >= t->origin_capacity)
        return;
    t->origin_facts[place.origin].named = true;
    t->origin_facts[place.origin].step = step;
    size_t digits = 0;
    for (uint64_t number = step ? place.offset / step : 0; step && (number || !digits);
         number /= 10)
        digits++;
    st_known_names_keep(&t->known_names, place.origin, step ? place.offset % step : place.offset,
                        name, size, number_at, digits);
}

static void make_allocated(struct st_translator *t, struct st_data_place place, char *buffer,
                           size_t size) {
    struct st_pair origin = t->origins.list[place.origin - 1];
    struct st_heap_array array = {0};
    char name[ST_LONGEST_NAME / 2];
    struct st_code code;
    bool typed = add_typed(t, place.origin, place.offset, &array, name, sizeof name);
    const char *where = st_places_memory_line(t->places, origin.a, &code);
    if (!typed)
        snprintf(name, sizeof name, "heap block of %" PRIu64 " byte%s", origin.b,
                 origin.b == 1 ? "" : "s");
    int length = put_from(buffer, size, name, where, &code);
    bool whole = length > 0 && (size_t)length < size && strlen(name) + 1 < sizeof name;
    if (typed && whole)
        keep_name(t, place, array.element, array.number_at, buffer, size);
    if (typed || !place.offset || length <= 0 || (size_t)length >= size)
        return; /* the beginning of a block has no number */
    snprintf(buffer + length, size - (size_t)length, "+%" PRIu64, place.offset);
    if (whole)
        keep_name(t, place, 1, (size_t)length + 1, buffer, size);
}

static void name_allocated(struct st_translator *t, struct st_data_place place, char *buffer,
                           size_t size) {
    bool named = place.origin < t->origin_capacity && t->origin_facts[place.origin].named;
    uint64_t step = named ? t->origin_facts[place.origin].step : 0;
    uint64_t rest = step ? place.offset % step : place.offset;
    uint64_t number = step ? place.offset / step : 0;
    bool begins = !place.offset && is_untyped(t, place.origin);
    if (!named || begins ||
        !st_known_names_find(&t->known_names, place.origin, rest, number, buffer, size))
        make_allocated(t, place, buffer, size);
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

static void name_object(struct st_translator *t, struct st_data_place place, char *buffer,
                        size_t size) {
    uint64_t pc = t->origins.list[place.origin - 1].a & ~OBJECT_OF;
    struct st_java_row row = st_places_java(t->places, pc);
    uint64_t address = place.address & ST_VARIABLE_ADDRESS;
    if (row.kind >= ST_JAVA_OBJECTS)
        st_java_object_name(&t->java_objects, &row, address - place.offset, place.offset, buffer,
                            size);
    else
        snprintf(buffer, size, "object 0x%" PRIx64, address);
}

void st_translate_name(struct st_translator *t, struct st_data_place place, char *buffer,
                       size_t size) {
    if (!place.origin)
        st_places_data(t->places, place.address, buffer, size);
    else if (t->origins.list[place.origin - 1].a & FRAME_OF)
        name_local(t, place, buffer, size);
    else if (t->origins.list[place.origin - 1].a & OBJECT_OF)
        name_object(t, place, buffer, size);
    else
        name_allocated(t, place, buffer, size);
}

void st_translate_name_lock(struct st_translator *t, struct st_data_place place, uint64_t pc,
                            char *buffer, size_t size) {
    const char *name = place.origin && is_untyped(t, place.origin)
                           ? st_places_member(t->places, pc, ST_ANY_LOCK, 0)
                           : NULL;
    if (name)
        put_member(t, place, name, buffer, size);
    else
        st_translate_name(t, place, buffer, size);
}

/* ---- threads ---- */

void st_translator_thread_name(const struct st_translator *t, uint32_t number, char *buffer,
                               size_t size) {
    st_symbols_thread_name(&t->symbols, number, buffer, size);
}
