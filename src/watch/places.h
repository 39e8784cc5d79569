/* Names for addresses of the program under test, from the modules that it has loaded. */
#ifndef SERIATIM_WATCH_PLACES_H
#define SERIATIM_WATCH_PLACES_H

#include "base/options.h"
#include "symbol/memory/hand_outs.h"
#include "symbol/memory/heap_types.h"
#include "symbol/java_sites.h"
#include "symbol/code/spin_loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct st_places;

/* `allocators` and `source_root`: as in struct st_translation. */
struct st_places *st_places_new(const struct st_texts *allocators, const char *source_root);
void st_places_free(struct st_places *places);
void st_places_add_module(struct st_places *places, const char *path, uint64_t start,
                          uint64_t length, uint64_t bias);

/* A module may be loaded where another one was, whose addresses are still to be named. Then the
 * addresses of the new one are moved to where no other ones are, above those of programs. This
 * gives the address by which all other functions here know what is now at `address`: mostly the
 * same. */
static inline uint64_t st_places_now(const struct st_places *places, uint64_t address);

/* The address that has these lower 32 bits; 0 when no module has one. Where several do, which
 * happens in one run of a thousand, it is in the module of the function at `near`, or in the one
 * that was there first: the program. */
uint64_t st_places_complete(const struct st_places *places, uint32_t low, uint64_t near);
/* When the newest of the modules was written; 0 when that is not known. */
time_t st_places_built(const struct st_places *places);

/* Of the call that returns to `pc`. What they return stays until the places are freed. */
struct st_code {
    const char *function;
    const char *file; /* "" when not known */
    unsigned line;    /* 0 when not known */
};

/* The function in which the call physically is. */
struct st_code st_places_function(struct st_places *places, uint64_t pc);

/* Is that what is called each time a coroutine of C++ goes on? */
bool st_places_is_coroutine(struct st_places *places, uint64_t pc);

/* Frame `depth` of those at the call, 0 is the innermost; false when there are not so many. The
 * last is that of st_places_function, the others were inlined into it. */
bool st_places_frame(struct st_places *places, uint64_t pc, size_t depth, struct st_code *code);

/* "bank.c:21" of the innermost frame, or what is known instead: "bank+0x11f3". */
const char *st_places_location(struct st_places *places, uint64_t pc, char *buffer, size_t size);

/* The innermost frame at the call that is in the user's own code (symbol/user_code.h), and its
 * location as above. False when none is: then they are those of st_places_function and
 * st_places_location. */
bool st_places_user_line(struct st_places *places, uint64_t pc, struct st_code *code, char *buffer,
                         size_t size);

/* Is there a frame at the call that memory should be named after: one of the user's own code that
 * does not only hand out memory to its callers (symbol/memory/allocators.h)? */
bool st_places_names_memory(struct st_places *places, uint64_t pc);

/* That frame and its location, or what st_places_user_line gives. The location is valid until the
 * places are freed. */
const char *st_places_memory_line(struct st_places *places, uint64_t pc, struct st_code *code);

/* Is it known what is in memory of `length` bytes that was allocated there; if it is not, which
 * member of a structure the access of `size` bytes at a place is to, or what is `shift` bytes
 * behind it (symbol/memory/); NULL: that is not known, either. */
bool st_places_is_typed(struct st_places *places, uint64_t pc, uint64_t inner, uint64_t length);
const char *st_places_member(struct st_places *places, uint64_t pc, uint64_t size, int64_t shift);

/* How much memory it is that came by the call, if it is for one structure; 0: not known. */
uint64_t st_places_assigned_size(struct st_places *places, uint64_t pc, uint64_t inner);

/* Functions that hand out memory, in the module that was added last (symbol/memory/hand_outs.h). */
void st_places_hand_outs(struct st_places *places, st_found_hand_out *found, void *context);

/* The name of a byte of memory of `length` bytes that was allocated there (symbol/memory/). */
bool st_places_heap(struct st_places *places, uint64_t pc, uint64_t inner, uint64_t length,
                    uint64_t offset, struct st_heap_array *array, char *buffer, size_t size);

/* The name of the local variable of the function at `pc`, `offset` bytes into its frame of `length`
 * bytes. */
bool st_places_local(struct st_places *places, uint64_t pc, uint64_t length, uint64_t offset,
                     char *buffer, size_t size);

/* Is the call in the C or C++ library itself? Answered without debug information: opening that of
 * the C library, where it is installed, takes as long as the whole run of a small program. */
bool st_places_is_library(const struct st_places *places, uint64_t pc);

/* Is it in code that only stands between two functions of the user's: our runtime library, which
 * calls what a thread or a task consists of, or that of OpenMP? */
bool st_places_is_between(const struct st_places *places, uint64_t pc);

/* The name of the static variable at the address; false, and the address as text, when there is
 * none that we know of. */
bool st_places_data(struct st_places *places, uint64_t address, char *buffer, size_t size);

/* ---- inside ---- */

/* Where modules are now that are known by other addresses. */
struct st_moved {
    uint64_t start, length, by;
};
struct st_moves {
    struct st_moved *list;
    size_t count, capacity;
};
const struct st_moves *st_places_moves(const struct st_places *places);

static inline uint64_t st_places_now(const struct st_places *places, uint64_t address) {
    const struct st_moves *moves = st_places_moves(places);
    for (size_t i = 0; i < moves->count; i++)
        if (address - moves->list[i].start < moves->list[i].length)
            return address + moves->list[i].by;
    return address;
}

/* The control flow of the function that holds the address; NULL: it cannot be followed. */
struct st_code_flow *st_places_flow(struct st_places *places, uint64_t pc);

/* What is around a call that looks at a word (symbol/code/spin_loop.h). */
struct st_spin st_places_spin(struct st_places *places, uint64_t pc, unsigned char arguments);

/* Is it a place, or an object, of a Java program, and which? There is no machine code there. */
bool st_places_is_java(const struct st_places *places, uint64_t pc);
struct st_java_row st_places_java(struct st_places *places, uint64_t pc);

/* The modules that were ever loaded, from 0 on. One is uninstrumented if it is a file of the user's
 * own that was not compiled for the runtime, for certain. */
size_t st_places_module_count(const struct st_places *places);
const char *st_places_module_path(const struct st_places *places, size_t index);
bool st_places_is_uninstrumented(struct st_places *places, size_t index);

#endif
