/* Objects of a Java program, as reports call them: "Account@1.balance", "int[]@2[7]",
 * "Account.total".
 *
 * They are numbered by class when they are first named, and that is when their class is called by
 * its short name, if no other class has taken it: "Account" for "bank.Account". */
#ifndef SERIATIM_WATCH_MEMORY_JAVA_OBJECTS_H
#define SERIATIM_WATCH_MEMORY_JAVA_OBJECTS_H

#include "base/map64.h"
#include "base/names.h"
#include "symbol/java_sites.h"

/* Invariant: object i of `known`, by address, is number numbers[i] of its class; class i of
 * `classes` is shown as shown[i], and has given its objects counts[i] numbers. */
struct st_java_objects {
    struct st_map64 known;
    uint32_t *numbers;
    size_t number_capacity;
    struct st_names classes, taken;
    const char **shown; /* the end of a text in `kept` */
    char **kept;
    uint32_t *counts;
    size_t shown_capacity, kept_capacity, count_capacity;
};

void st_java_objects_init(struct st_java_objects *objects);
void st_java_objects_free(struct st_java_objects *objects);

/* Writes the name of what is `offset` bytes into the object at `start` that the row describes. */
void st_java_object_name(struct st_java_objects *objects, const struct st_java_row *row,
                         uint64_t start, uint64_t offset, char *buffer, size_t size);

#endif
