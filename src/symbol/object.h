/* A file that a module was loaded from: its ELF symbols, and the way to its debug information.
 *
 * All addresses here are those of the file, as it was linked. A file is opened when it is first
 * asked for a name, and only once, however often it was loaded. */
#ifndef SERIATIM_SYMBOL_OBJECT_H
#define SERIATIM_SYMBOL_OBJECT_H

#include "base/map64.h"
#include "symbol/address_ranges.h"
#include "symbol/symbol.h"
#include "symbol/label.h"

#include <elfutils/libdwfl.h>

struct st_units;

/* Invariants: nothing below `opened` is set before `opened` is, and `units` not before `searched`;
 * `dwfl` is NULL if the file cannot be used, and `units` if it has no debug information; `trouble`
 * then says why. Something that is not a file cannot be used, but has no trouble. */
struct st_object {
    char *path;
    unsigned char *build_id; /* of the file that ran; NULL if not known */
    size_t build_id_size;

    bool opened, searched; /* for debug information */
    const char *trouble;
    Dwfl *dwfl;
    Dwfl_Module *module;
    struct st_units *units;

    bool symbols_read;
    struct st_address_ranges code,
        data; /* ranges of symbols; `what` is libdwfl's number of the symbol */
    bool slots_read;
    struct st_address_ranges slots; /* pointers that are relocated (code_bytes.c) */

    /* Of functions that were walked through, by where they are and how deep in calls that was
     * (code_walk.c): does nothing happen in them, and how many instructions had to be read? */
    struct st_map64 walked;
    struct st_walked {
        bool quiet;
        unsigned work;
    } * walked_facts;
    size_t walked_capacity;
};

/* Is it a file, and not "[heap]", "linux-vdso.so.1" or the like? */
bool st_is_file(const char *path);

struct st_object *st_object_new(const char *path, const void *build_id, size_t build_id_size);
void st_object_free(struct st_object *object);
bool st_object_is(const struct st_object *object, const char *path, const void *build_id,
                  size_t build_id_size);

/* Opens the file, unless it was opened before or that failed. For its symbols alone: libdw unpacks
 * all debug information of a file as soon as it is asked for any, which takes 40 ms for libc's. */
void st_object_open(struct st_object *object);
void st_object_open_symbols(struct st_object *object);

/* Appends the spelled name of the symbol at the address. Returns false and appends nothing if
 * there is none. `offset` is that of the address within the symbol. The file must be open. */
bool st_object_function(struct st_object *object, uint64_t address, struct st_label *text);
bool st_object_data(struct st_object *object, uint64_t address, struct st_label *text,
                    uint64_t *offset);

/* Is the code at the address what is called each time a coroutine of C++ goes on? */
bool st_object_is_coroutine(struct st_object *object, uint64_t address);

/* Is a variable of `object` a copy of one that `origin` defines? Then *address_there is the
 * address of the original. The linker moves variables of a library into an executable that uses
 * them (copy relocations), away from their debug information. The symbols of both must be open. */
bool st_object_is_copied(struct st_object *object, uint64_t address, struct st_object *origin,
                         uint64_t *address_there);

/* The range of the symbol of code at the address; `what` is libdwfl's number of the symbol. NULL if
 * there is none. */
const struct st_address_range *st_object_code_range(struct st_object *object, uint64_t address);

/* As st_module_uses. The file must be open. */
enum st_uses st_object_uses(struct st_object *object, const char *wanted);

/* The file behind an address of a program that ran, open, and what to subtract from the address
 * there; NULL if there is none. */
struct st_object *st_object_behind(struct st_modules *modules, uint64_t address, uint64_t *bias);

#endif
