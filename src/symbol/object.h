/* A file that a module was loaded from: its ELF symbols, and the way to its debug information.
 *
 * All addresses here are those of the file, as it was linked. A file is opened when the first name
 * is asked for, and once however often it was loaded. */
#ifndef SERIATIM_SYMBOL_OBJECT_H
#define SERIATIM_SYMBOL_OBJECT_H

#include "symbol/address_ranges.h"
#include "symbol/symbol.h"
#include "symbol/label.h"

#include <elfutils/libdwfl.h>

struct st_units;

/* Invariants: nothing below `opened` is set before it is; `dwfl` is NULL when the file cannot be
 * used, `units` when it has no debug information; `trouble` then says why. What is no file is like
 * one that cannot be used, without trouble. */
struct st_object {
    char *path;
    unsigned char *build_id; /* of what ran; NULL when not known */
    size_t build_id_size;

    bool opened;
    const char *trouble;
    Dwfl *dwfl;
    Dwfl_Module *module;
    struct st_units *units;

    bool symbols_read;
    struct st_address_ranges code, data; /* of symbols; `what` is their number for libdwfl */
};

/* Or "[heap]", "linux-vdso.so.1" and the like? */
bool st_is_file(const char *path);

struct st_object *st_object_new(const char *path, const void *build_id, size_t build_id_size);
void st_object_free(struct st_object *object);
bool st_object_is(const struct st_object *object, const char *path, const void *build_id,
                  size_t build_id_size);

/* Opens the file unless that was done, or failed, before. */
void st_object_open(struct st_object *object);

/* Appends the name of the symbol at the address, spelled. False, and nothing appended, when there
 * is none. `offset` is that of the address in it. The file must be open. */
bool st_object_function(struct st_object *object, uint64_t address, struct st_label *text);
bool st_object_data(struct st_object *object, uint64_t address, struct st_label *text,
                    uint64_t *offset);

/* Is a variable of `object` a copy of one that `origin` defines? The address of that one then. The
 * linker moves variables of libraries into the executable when it uses them (copy relocations),
 * away from their debug information. Both files must be open. */
bool st_object_is_copied(struct st_object *object, uint64_t address, struct st_object *origin,
                         uint64_t *address_there);

#endif
