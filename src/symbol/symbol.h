/* Names for the addresses of a program that ran: functions, lines, variables.
 *
 * The runtime reports where the modules were (the executable, its shared libraries); we read their
 * files here, later and in another process. A module is a run-time range [start, end) and a bias:
 * what was linked at address a ran at a + bias. Names come from the best source that there is:
 *
 *     debug information (DWARF)   functions with inlined frames, file:line, variables, members
 *     the symbol table            functions and variables; variable+0x18
 *     the module                  libfoo.so+0x1234, the address in the file, as addr2line takes it
 *     nothing                     0x7f12345678
 *
 * Separate debug files are found as libdw finds them: by build-id under /usr/lib/debug, by
 * .gnu_debuglink, and from a debuginfod server where the user has set DEBUGINFOD_URLS. Files that
 * are missing or damaged make names poorer and are no errors, and so do files that are not those
 * that ran, if the build-id of those is known: st_module_trouble says what is amiss.
 *
 * Names of C++ are qualified and without parameters: bank::Account::deposit. Long template
 * arguments are "<...>", default allocators are left out, a lambda is
 * transfer::{lambda}::operator(). The compilers' .constprop.0, .isra.0, .part.0, .cold and the like
 * are left out. A static variable of a function is function::variable.
 *
 * Everything that is returned belongs to the modules and stays until st_modules_free. One thread at
 * a time may use them. A first look-up costs tens of microseconds (milliseconds for the first in a
 * large unit), a repeated one well below one. */
#ifndef SERIATIM_SYMBOL_SYMBOL_H
#define SERIATIM_SYMBOL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct st_modules;

struct st_module {
    const char *path; /* as /proc/PID/maps has it: a file, "[heap]" or the like, "" for anonymous */
    uint64_t start, end;
    uint64_t bias;
    const void *build_id; /* a file with another one is not read; NULL when not known */
    size_t build_id_size;
};

/* Files below `base` are named relative to it, others by their absolute path; NULL for none. */
struct st_modules *st_modules_new(const char *base);
void st_modules_free(struct st_modules *modules);

/* Copies what it is given. Where ranges overlap, the module that was added last counts: after
 * dlclose another library may have been loaded to the same place. */
void st_modules_add(struct st_modules *modules, const struct st_module *module);

struct st_frame {
    const char *function;
    const char *file; /* NULL when not known */
    unsigned line;    /* 0 when not known */
    bool inlined;     /* into the function of the next frame */
};

/* The frames of a call whose return address is `pc`, innermost first; the last one is the function
 * in which the call physically is, the others were inlined into it. At least one. The call ends
 * just before its return address, and that is where we look: for the address of an instruction or
 * of a function itself, pass the address plus one. */
const struct st_frame *st_frames(struct st_modules *modules, uint64_t pc, size_t *count);

struct st_function {
    const char *name;
    const char *file; /* and line of its definition; NULL and 0 when not known */
    unsigned line;
};

/* The function in which the call physically is, as st_frames has it last. */
const struct st_function *st_function(struct st_modules *modules, uint64_t pc);

enum st_data_kind {
    ST_DATA_VARIABLE, /* account[3].balance, from debug information */
    ST_DATA_SYMBOL,   /* account+0x38, from the symbol table */
    ST_DATA_MODULE,   /* libbank.so+0x4038, [heap]+0x2a0 */
    ST_DATA_UNKNOWN   /* 0x7f12345678: heap and stack, unless they were added as modules */
};

/* Writes the name of the static variable at the address, always terminated, cut to `size`.
 *
 * Members and indices lead to the scalar that holds the byte, and +0x2 to a byte in its middle.
 * Where several members share the byte (of a union, bit-fields) all are named: word.low|bits. The
 * path ends before members with names reserved to the implementation, so a mutex is bank.lock and
 * not bank.lock.__data.__lock. */
enum st_data_kind st_data_name(struct st_modules *modules, uint64_t address, char *buffer,
                               size_t size);

/* What keeps the names of the module at the address poorer than they could be, as the end of a
 * sentence about it ("has no debug information; compile it with -g"). NULL when nothing does, or
 * when there is no file behind the address. */
const char *st_module_trouble(struct st_modules *modules, uint64_t address);

#endif
