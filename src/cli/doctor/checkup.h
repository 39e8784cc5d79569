/* Checks what this machine has, and lacks, to watch programs. */
#ifndef SERIATIM_CLI_DOCTOR_CHECKUP_H
#define SERIATIM_CLI_DOCTOR_CHECKUP_H

#include <stdbool.h>
#include <stddef.h>

enum health_state {
    HEALTH_OK,
    HEALTH_NOTE,   /* works without it */
    HEALTH_PROBLEM /* does not work */
};

struct symptom {
    char name[64];
    enum health_state state;
    char detail[512]; /* what was found */
    char advice[256]; /* what to do about it; empty if there is nothing to do */
};

struct health {
    struct symptom *symptoms;
    size_t count, capacity;
    char builders[256]; /* the compilers that can build programs which run: "gcc, clang" */
};

/* Runs all checks. This takes seconds: programs are compiled and run. */
void health_examine(struct health *health);
void health_free(struct health *health);

/* Is there no problem? */
bool health_is_good(const struct health *health);

/* ---- For those who look ---- */

/* The returned symptom is valid until the next one is added. */
struct symptom *health_add(struct health *health, enum health_state state, const char *name);
void health_detail(struct symptom *symptom, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void health_advise(struct symptom *symptom, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Compilers, the runtime library, and programs built with both. */
void health_examine_building(struct health *health);

#endif
