#include "watch/places.h"

#include "base/memory.h"
#include "symbol/symbol.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a place is called whose line is not known. */
struct module {
    char *name; /* without its folders */
    uint64_t start, end, bias;
};

struct st_places {
    struct st_modules *symbols;
    struct module *modules;
    size_t count, capacity;
    time_t built;
};

struct st_places *st_places_new(void) {
    struct st_places *places = st_alloc(1, sizeof *places);
    char *folder = getcwd(NULL, 0);
    places->symbols = st_modules_new(folder);
    free(folder);
    return places;
}

void st_places_free(struct st_places *places) {
    if (!places)
        return;
    for (size_t i = 0; i < places->count; i++)
        free(places->modules[i].name);
    free(places->modules);
    st_modules_free(places->symbols);
    free(places);
}

time_t st_places_built(const struct st_places *places) {
    return places->built;
}

/* Our own library says nothing about the program. */
static bool is_runtime(const char *name) {
    return strncmp(name, "libseriatim_rt.", 15) == 0 || strncmp(name, "libtsan.", 8) == 0;
}

static void note_age(struct st_places *places, const char *path, const char *name) {
    struct stat status;
    if (!is_runtime(name) && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_mtime > places->built)
        places->built = status.st_mtime;
}

void st_places_add_module(struct st_places *places, const char *path, uint64_t start,
                          uint64_t length, uint64_t bias) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    note_age(places, path, name);
    st_reserve(&places->modules, &places->capacity, places->count + 1);
    places->modules[places->count++] =
        (struct module){st_strdup(name), start, start + length, bias};
    st_modules_add(
        places->symbols,
        &(struct st_module){.path = path, .start = start, .end = start + length, .bias = bias});
}

uint64_t st_places_complete(const struct st_places *places, uint32_t low) {
    for (size_t i = 0; i < places->count; i++) {
        const struct module *module = &places->modules[i];
        uint64_t address = (module->start & ~(uint64_t)UINT32_MAX) | low;
        if (address < module->start)
            address += UINT64_C(1) << 32;
        if (address < module->end)
            return address;
    }
    return 0;
}

static struct st_code code_of(const char *function, const char *file, unsigned line) {
    return (struct st_code){function, file ? file : "", line};
}

struct st_code st_places_function(struct st_places *places, uint64_t pc) {
    const struct st_function *function = st_function(places->symbols, pc);
    return code_of(function->name, function->file, function->line);
}

bool st_places_frame(struct st_places *places, uint64_t pc, size_t depth, struct st_code *code) {
    size_t count;
    const struct st_frame *frames = st_frames(places->symbols, pc, &count);
    if (depth >= count)
        return false;
    *code = code_of(frames[depth].function, frames[depth].file, frames[depth].line);
    return true;
}

static void describe(const struct st_places *places, uint64_t address, char *buffer, size_t size) {
    snprintf(buffer, size, "0x%" PRIx64, address);
    for (size_t i = places->count; i-- > 0;) {
        const struct module *module = &places->modules[i];
        if (address >= module->start && address < module->end) {
            snprintf(buffer, size, "%s+0x%" PRIx64, module->name, address - module->bias);
            return;
        }
    }
}

const char *st_places_location(struct st_places *places, uint64_t pc, char *buffer, size_t size) {
    size_t count;
    const struct st_frame *frame = st_frames(places->symbols, pc, &count);
    if (frame->file && frame->line)
        snprintf(buffer, size, "%s:%u", frame->file, frame->line);
    else
        describe(places, pc - 1, buffer, size);
    return buffer;
}

bool st_places_data(struct st_places *places, uint64_t address, char *buffer, size_t size) {
    return st_data_name(places->symbols, address, buffer, size) != ST_DATA_UNKNOWN;
}
