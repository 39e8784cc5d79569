#include "watch/memory/known_names.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 20 }; /* of 64 bits */

void st_known_names_free(struct st_known_names *names) {
    free(names->list);
    names->list = NULL;
}

static size_t slot_of(uint32_t origin, uint64_t place) {
    uint64_t hash = (place + ((uint64_t)origin << 32)) * UINT64_C(0x9E3779B97F4A7C15);
    return hash >> 32 & (ST_KNOWN_NAMES - 1);
}

/* Returns how many digits it wrote, from the first on. */
static size_t put_digits(char *text, uint64_t number) {
    char digits[MOST_DIGITS];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    for (size_t i = 0; i < count; i++)
        text[i] = digits[count - 1 - i];
    return count;
}

bool st_known_names_find(const struct st_known_names *names, uint32_t origin, uint64_t place,
                         uint64_t number, char *buffer, size_t size) {
    if (!names->list)
        return false;
    const struct st_known_name *name = &names->list[slot_of(origin, place)];
    if (name->origin != origin || name->place != place ||
        size <= name->length + (size_t)MOST_DIGITS)
        return false;
    memcpy(buffer, name->text, name->number_at);
    char *next = buffer + name->number_at;
    if (name->has_number)
        next += put_digits(next, number);
    size_t rest = (size_t)name->length - name->number_at;
    memcpy(next, name->text + name->number_at, rest);
    next[rest] = '\0';
    return true;
}

/* What does not fit into a buffer, or into the list, is made anew each time. */
void st_known_names_keep(struct st_known_names *names, uint32_t origin, uint64_t place,
                         const char *name, size_t size, size_t number_at, size_t digits) {
    size_t length = strlen(name);
    if (length + 1 >= size || length - digits > ST_KNOWN_NAME_BYTES)
        return;
    if (!names->list)
        names->list = st_alloc(ST_KNOWN_NAMES, sizeof *names->list);
    struct st_known_name *kept = &names->list[slot_of(origin, place)];
    *kept = (struct st_known_name){.place = place,
                                   .origin = origin,
                                   .number_at = (uint16_t)(digits ? number_at : 0),
                                   .length = (uint16_t)(length - digits),
                                   .has_number = digits};
    memcpy(kept->text, name, kept->number_at);
    memcpy(kept->text + kept->number_at, name + kept->number_at + digits,
           kept->length - (size_t)kept->number_at);
}
