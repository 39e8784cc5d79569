#include "watch/places.h"

#include "base/memory.h"
#include "base/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
    char *name; /* without its folders */
    uint64_t start, end, bias;
};

struct st_places {
    struct module *modules;
    size_t count, capacity;
    struct st_names texts;
    char **kept;
    size_t kept_count, kept_capacity;
};

struct st_places *st_places_new(void) {
    struct st_places *places = st_alloc(1, sizeof *places);
    st_names_init(&places->texts);
    return places;
}

void st_places_free(struct st_places *places) {
    if (!places)
        return;
    for (size_t i = 0; i < places->count; i++)
        free(places->modules[i].name);
    for (size_t i = 0; i < places->kept_count; i++)
        free(places->kept[i]);
    free(places->modules);
    free(places->kept);
    st_names_free(&places->texts);
    free(places);
}

void st_places_add_module(struct st_places *places, const char *path, uint64_t start,
                          uint64_t length, uint64_t bias) {
    const char *slash = strrchr(path, '/');
    st_reserve(&places->modules, &places->capacity, places->count + 1);
    places->modules[places->count++] =
        (struct module){st_strdup(slash ? slash + 1 : path), start, start + length, bias};
}

static const char *describe(const struct st_places *places, uint64_t address, char *buffer,
                            size_t size) {
    for (size_t i = places->count; i-- > 0;) {
        const struct module *module = &places->modules[i];
        if (address >= module->start && address < module->end) {
            snprintf(buffer, size, "%s+0x%" PRIx64, module->name, address - module->bias);
            return buffer;
        }
    }
    snprintf(buffer, size, "0x%" PRIx64, address);
    return buffer;
}

/* A copy that stays; equal texts are kept once. */
static const char *keep(struct st_places *places, const char *text) {
    uint32_t number = st_names_add(&places->texts, text, strlen(text));
    if (number == places->kept_count) {
        st_reserve(&places->kept, &places->kept_capacity, places->kept_count + 1);
        places->kept[places->kept_count++] = st_strdup(text);
    }
    return places->kept[number];
}

struct st_code st_places_function(struct st_places *places, uint64_t pc) {
    char buffer[512];
    return (struct st_code){keep(places, describe(places, pc - 1, buffer, sizeof buffer)), "", 0};
}

bool st_places_frame(struct st_places *places, uint64_t pc, size_t depth, struct st_code *code) {
    if (depth)
        return false;
    *code = st_places_function(places, pc);
    return true;
}

const char *st_places_location(struct st_places *places, uint64_t pc, char *buffer, size_t size) {
    return describe(places, pc - 1, buffer, size);
}

bool st_places_data(struct st_places *places, uint64_t address, char *buffer, size_t size) {
    describe(places, address, buffer, size);
    return strchr(buffer, '+') != NULL;
}
