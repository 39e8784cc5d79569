/* Names for the addresses of a program that ran: functions, lines, variables.
 *
 * The program reported where its modules were (the executable and its shared libraries); this code
 * reads their files, later and in another process. A module is a run-time range [start, end) and a
 * bias: what was linked at address a ran at a + bias. Names come from the best source available:
 *
 *     debug information (DWARF)   functions with inlined frames, file:line, variables, members
 *     the symbol table            functions and variables; variable+0x18
 *     the module                  libfoo.so+0x1234, the address in the file, as addr2line takes it
 *     nothing                     0x7f12345678
 *
 * Separate debug files are found as libdw finds them: by build-id under /usr/lib/debug, by
 * .gnu_debuglink, and from a debuginfod server if the user has set DEBUGINFOD_URLS. A file that is
 * missing or damaged is not an error, but makes names poorer. So does a file that is not the one
 * that ran, if the build-id is known. st_module_trouble says what is wrong.
 *
 * C++ names are qualified and have no parameters: bank::Account::deposit. Long template arguments
 * become "<...>", default allocators are left out, and a lambda is transfer::{lambda}::operator().
 * Suffixes of compilers, such as .constprop.0, .isra.0, .part.0 and .cold, are left out. A static
 * variable of a function is function::variable. What the compiler made a function of for OpenMP, a
 * parallel region or a task in f, is f::{omp}.
 *
 * The modules own everything that is returned, until st_modules_free. One thread at a time may use
 * them. A first look-up takes tens of microseconds (milliseconds for the first in a large unit),
 * and a repeated one well below a microsecond. */
#ifndef SERIATIM_SYMBOL_SYMBOL_H
#define SERIATIM_SYMBOL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct st_modules;

#define ST_OUTLINED "{omp}"

struct st_module {
    const char *path; /* as /proc/PID/maps has it: a file, "[heap]" or the like, "" for anonymous */
    uint64_t start, end;
    uint64_t bias;
    const void *build_id; /* a file with a different one is not read; NULL if not known */
    size_t build_id_size;
};

/* Files below `base` are named relative to it, others by their absolute path; NULL for none. */
struct st_modules *st_modules_new(const char *base);
void st_modules_free(struct st_modules *modules);

/* Sources of Java classes may also be below this folder. To be said before modules are added. */
void st_modules_look_below(struct st_modules *modules, const char *folder);

/* Copies its argument. Where ranges overlap, the module that was added last wins: after dlclose
 * another library may have been loaded in the same place. */
void st_modules_add(struct st_modules *modules, const struct st_module *module);

struct st_frame {
    const char *function;
    const char *file; /* NULL when not known */
    unsigned line;    /* 0 when not known */
    unsigned column;  /* from 1 on; 0 when not known, as in all frames but the first */
    bool inlined;     /* into the function of the next frame */
};

/* The frames of a call whose return address is `pc`, innermost first, at least one. The last frame
 * is the function that physically contains the call; the others were inlined into it. The call
 * ends just before its return address, and that is where we look, so for the address of an
 * instruction or of a function itself, pass the address plus one. */
const struct st_frame *st_frames(struct st_modules *modules, uint64_t pc, size_t *count);

struct st_function {
    const char *name;
    const char *file; /* and line of its definition; NULL and 0 if not known */
    unsigned line;
};

/* The function that physically contains the call: the last frame of st_frames. */
const struct st_function *st_function(struct st_modules *modules, uint64_t pc);

/* Is that function what is called each time a coroutine of C++ goes on? Only the symbol table says
 * so: its name is that of the coroutine. */
bool st_is_coroutine(struct st_modules *modules, uint64_t pc);

enum st_data_kind {
    ST_DATA_VARIABLE, /* account[3].balance, from debug information */
    ST_DATA_SYMBOL,   /* account+0x38, from the symbol table */
    ST_DATA_MODULE,   /* libbank.so+0x4038, [heap]+0x2a0 */
    ST_DATA_UNKNOWN   /* 0x7f12345678: heap and stack, unless they were added as modules */
};

/* Writes the name of the static variable at the address, always terminated, truncated to `size`.
 *
 * Members and indices lead to the scalar that holds the byte, and +0x2 leads to a byte in its
 * middle. If several members share the byte (in a union, or bit-fields), all are named:
 * word.low|bits. The path stops before members whose names are reserved for the implementation, so
 * a mutex is bank.lock and not bank.lock.__data.__lock. */
enum st_data_kind st_data_name(struct st_modules *modules, uint64_t address, char *buffer,
                               size_t size);

/* Does the module at the address refer to this symbol? That is not known if the file cannot be
 * read, or defines the symbol itself. */
enum st_uses { ST_USES_UNKNOWN, ST_USES, ST_USES_NOT };
enum st_uses st_module_uses(struct st_modules *modules, uint64_t address, const char *symbol);

/* Why the names of the module at the address are poorer than they could be, as the end of a
 * sentence about it ("has no debug information; compile it with -g"). NULL if they are not, or if
 * there is no file behind the address. */
const char *st_module_trouble(struct st_modules *modules, uint64_t address);

#endif
