/* From an address in code to its frames. */
#ifndef SERIATIM_SYMBOL_FRAMES_H
#define SERIATIM_SYMBOL_FRAMES_H

#include "symbol/object.h"
#include "symbol/symbol.h"

/* What is known about an address. Invariants: count > 0; the place owns the strings of its frames,
 * and function.name is that of the last one. */
struct st_code_place {
    struct st_frame *frames;
    size_t count;
    struct st_function function;
};

/* The place of an address of the file. Nothing is subtracted from it: it is the address of the
 * byte itself. The object must be open. `base` is as for st_modules_new. */
struct st_code_place *st_code_place_in(struct st_object *object, uint64_t address,
                                       const char *base);

/* The place in the source that the code at an address was made from: line, column, and the same for
 * all calls that were inlined around it. Code that a compiler wrote twice has the same number in
 * both places, other code another one. 0 if it is not known. The object must be open. */
uint64_t st_code_origin(struct st_object *object, uint64_t address);

/* A place of which only the name is known. */
struct st_code_place *st_code_place_named(const char *name);

void st_code_place_free(struct st_code_place *place);

/* The file as a user should see it: relative to `base` if it is below that directory, otherwise
 * absolute, without "." and ".." if possible. A relative `file` is relative to `directory`, where
 * the compiler ran. `base` and `directory` may be NULL. Release with free(). */
char *st_source_path(const char *base, const char *directory, const char *file);

#endif
