/* What this machine has, and lacks, to watch programs. */
#ifndef SERIATIM_CLI_DOCTOR_CHECKUP_H
#define SERIATIM_CLI_DOCTOR_CHECKUP_H

#include <stdbool.h>
#include <stddef.h>

enum health_state {
    HEALTH_OK,
    HEALTH_NOTE,   /* it works without */
    HEALTH_PROBLEM /* it does not */
};

struct symptom {
    char name[64];
    enum health_state state;
    char detail[512]; /* what was found */
    char advice[256]; /* what to do about it; empty when there is nothing to do */
};

struct health {
    struct symptom *symptoms;
    size_t count, capacity;
    char builders[256]; /* with which compilers programs can be built and run: "gcc, clang" */
};

/* Looks at everything, which takes seconds: programs are compiled and run. */
void health_examine(struct health *health);
void health_free(struct health *health);

/* Is there no problem? */
bool health_is_good(const struct health *health);

/* ---- For those who look ---- */

/* The symptom that it returns is good until the next one is added. */
struct symptom *health_add(struct health *health, enum health_state state, const char *name);
void health_detail(struct symptom *symptom, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void health_advise(struct symptom *symptom, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Compilers, the runtime library, and programs built with both. */
void health_examine_building(struct health *health);

#endif
