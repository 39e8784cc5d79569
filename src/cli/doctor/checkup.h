/* Checks what this machine has, and lacks, to watch programs. */
#ifndef SERIATIM_CLI_DOCTOR_CHECKUP_H
#define SERIATIM_CLI_DOCTOR_CHECKUP_H

#include <stdbool.h>
#include <stddef.h>

enum checkup_state {
    CHECKUP_OK,
    CHECKUP_NOTE,   /* works without it */
    CHECKUP_PROBLEM /* does not work */
};

struct checkup_item {
    char name[64];
    enum checkup_state state;
    char detail[512]; /* what was found */
    char advice[256]; /* what to do about it; empty if there is nothing to do */
};

struct checkup {
    struct checkup_item *items;
    size_t count, capacity;
    char builders[256]; /* the compilers that can build programs which run: "gcc, clang" */
};

/* Runs all checks. This takes seconds: programs are compiled and run. */
void checkup_run(struct checkup *checkup);
void checkup_free(struct checkup *checkup);

/* Is there no problem? */
bool checkup_is_good(const struct checkup *checkup);

/* ---- for the checks themselves ---- */

/* The returned item is valid until the next one is added. */
struct checkup_item *checkup_add(struct checkup *checkup, enum checkup_state state,
                                 const char *name);
void checkup_detail(struct checkup_item *item, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void checkup_advise(struct checkup_item *item, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Compilers, the runtime library, and programs built with both. */
void checkup_toolchain(struct checkup *checkup);

#endif
