/* Names of variables in allocated memory, as they were made before.
 *
 * Names of what is in one array differ in nothing but a number: "char[17] from seq.c:3 (load)". So
 * a name is kept as what stands before its number and behind it, and the next one is put together
 * in a fraction of the time: a recording names every variable, of which there are millions. */
#ifndef SERIATIM_WATCH_MEMORY_KNOWN_NAMES_H
#define SERIATIM_WATCH_MEMORY_KNOWN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ST_KNOWN_NAMES = 1024, ST_KNOWN_NAME_BYTES = 232 };

/* A name of what is in memory of an origin (not 0), at a place: of the block, or of an element. */
struct st_known_name {
    uint64_t place;
    uint32_t origin;
    uint16_t number_at, length;
    bool has_number; /* which is left out, and belongs at number_at */
    char text[ST_KNOWN_NAME_BYTES];
};

/* The newest ones. All zero is empty. */
struct st_known_names {
    struct st_known_name *list; /* ST_KNOWN_NAMES of them, by origin and place; NULL: none */
};

void st_known_names_free(struct st_known_names *names);

/* The name, with that number, in `buffer`; false if it is not known. */
bool st_known_names_find(const struct st_known_names *names, uint32_t origin, uint64_t place,
                         uint64_t number, char *buffer, size_t size);

/* Keeps a name that was made in a buffer of `size` bytes. Its number, of `digits` digits, begins at
 * number_at; 0 digits: it has none. */
void st_known_names_keep(struct st_known_names *names, uint32_t origin, uint64_t place,
                         const char *name, size_t size, size_t number_at, size_t digits);

#endif
